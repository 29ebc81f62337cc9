/** The kinds of channels, as the form asks for them. */

import type { Channel } from '../../api/alerts/contract.ts';

/** A field of a channel's `config`. */
export interface ConfigField {
  label: string;
  hint?: string;
  placeholder?: string;
  isOptional?: true;
  /** Whether nobody should read it over a shoulder. */
  isHidden?: true;
}

export interface ChannelKind {
  word: string;
  fields: Readonly<Record<string, ConfigField>>;
}

const incoming: ConfigField = {
  label: 'URL of the incoming webhook',
  hint: 'Anyone who knows it can post there.',
  isHidden: true,
};

const server: ConfigField = { label: 'Server', placeholder: 'https://…' };
const token: ConfigField = { label: 'Access token', isHidden: true };
const region: ConfigField = {
  label: 'Region',
  hint: 'us or eu. Empty means us.',
  isOptional: true,
};

/** Each kind, with the fields that `domain/alerts/kinds` has for it. */
export const channelKinds: Readonly<Record<Channel['type'], ChannelKind>> = {
  webhook: {
    word: 'Webhook',
    fields: {
      url: { label: 'URL', hint: 'Alerts are posted there as JSON, signed.' },
      secret: {
        label: 'Signing secret',
        hint: 'Leave it empty: jobd makes one and shows it once. Your own begins with whsec_.',
        isOptional: true,
        isHidden: true,
      },
    },
  },
  email: { word: 'Email', fields: { to: { label: 'Addresses', hint: 'Separated by commas.' } } },
  slack: { word: 'Slack', fields: { url: incoming } },
  discord: { word: 'Discord', fields: { url: incoming } },
  telegram: {
    word: 'Telegram',
    fields: {
      botToken: { label: 'Token of the bot', hint: '@BotFather gives it.', isHidden: true },
      chatId: { label: 'Chat', hint: 'The number of the chat, or @channelname.' },
    },
  },
  teams: {
    word: 'Microsoft Teams',
    fields: { url: { ...incoming, label: 'URL of the webhook of a workflow' } },
  },
  matrix: {
    word: 'Matrix',
    fields: { url: server, room: { label: 'Room', placeholder: '!…' }, token },
  },
  ntfy: {
    word: 'ntfy',
    fields: {
      url: { label: 'Server and topic', hint: 'Such as https://ntfy.sh/my-topic' },
      token: { ...token, isOptional: true },
    },
  },
  gotify: { word: 'Gotify', fields: { url: server, token } },
  pushover: {
    word: 'Pushover',
    fields: {
      token,
      user: { label: 'Key of the user', isHidden: true },
      priority: {
        label: 'Priority',
        hint: 'Of failures, -2 to 2. Empty means 1.',
        isOptional: true,
      },
    },
  },
  pagerduty: {
    word: 'PagerDuty',
    fields: { routingKey: { label: 'Integration key', isHidden: true }, region },
  },
  opsgenie: {
    word: 'Opsgenie',
    fields: { apiKey: { label: 'API key', isHidden: true }, region },
  },
};
