/** Every kind of channel. A new one is a file beside this one, and a line here. */

import { discord } from './discord.ts';
import { email } from './email.ts';
import { gotify } from './gotify.ts';
import type { ChannelKind } from './kind.ts';
import { matrix } from './matrix.ts';
import { ntfy } from './ntfy.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { pushover } from './pushover.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

const kinds = {
  webhook,
  email,
  slack,
  discord,
  telegram,
  teams,
  matrix,
  ntfy,
  gotify,
  pushover,
  pagerduty,
  opsgenie,
} satisfies Record<string, ChannelKind>;

export type ChannelType = keyof typeof kinds;
export const channelTypes = Object.keys(kinds) as ChannelType[];
export const channelKinds: Readonly<Record<ChannelType, ChannelKind>> = kinds;
