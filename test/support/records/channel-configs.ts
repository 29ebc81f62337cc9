/** A valid config of each kind of channel. */

import type { ChannelConfig } from '../../../src/domain/alerts/kinds/kind.ts';
import type { ChannelType } from '../../../src/domain/alerts/kinds/registry.ts';

/** The token of a bot. */
export const botToken = '12345:abcdefghijklmnopqrstuvwxyz_0123';

export const configs: Record<ChannelType, ChannelConfig> = {
  webhook: { url: 'https://example.com/hook', secret: `whsec_${'A'.repeat(32)}` },
  email: { to: 'ops@example.com' },
  slack: { url: 'https://hooks.slack.com/services/T/B/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x' },
  telegram: { botToken, chatId: '-100123' },
  ntfy: { url: 'https://ntfy.sh/my-topic', token: 'tk_abc' },
  teams: { url: 'https://example.logic.azure.com:443/workflows/a/triggers/manual?sig=x' },
  matrix: { url: 'https://matrix.example.org/', room: '!a+b:example.org', token: 'syt_abc' },
  gotify: { url: 'https://example.org/push/', token: 'Aabc' },
  pushover: { token: 'a'.repeat(30), user: 'u'.repeat(30) },
  pagerduty: { routingKey: 'r'.repeat(32) },
  opsgenie: { apiKey: 'eb243592-0000-4ba2-a551-000000000000' },
};
