/** Every kind of channel, a line each. */

import type { ChannelType } from '../channel.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import type { ChannelKind } from './kind.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

export const channelKinds: Readonly<Record<ChannelType, ChannelKind>> = {
  webhook,
  email,
  slack,
  discord,
  telegram,
  ntfy,
};
