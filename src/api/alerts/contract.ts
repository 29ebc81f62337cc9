/** What the API accepts and returns about channels and deliveries. A channel's `config` is never returned. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { alertTypes } from '../../domain/alerts/alert.ts';
import { channelLimits, channelTypes } from '../../domain/alerts/channel.ts';
import { deliveryStatuses } from '../../domain/alerts/delivery.ts';
import { page } from '../http/contract.ts';
import {
  envelope,
  id,
  input,
  integer,
  moment,
  nullable,
  oneOf,
  optional,
  output,
  readOnly,
  text,
  withoutDefaults,
} from '../http/schema.ts';
import * as examples from './examples.ts';

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: channelLimits.nameLength,
    description: 'The name of the channel. Not blank; it need not be unique.',
  }),
  config: Type.Unsafe<Record<string, string>>(
    Type.Object(
      optional({
        url: text(
          '`webhook`, `slack`, `discord`: the URL to post to. `ntfy`: server and topic, as `https://ntfy.sh/my-topic`. ' +
            'A public http or https address, by the same rules as the URL of a job.',
        ),
        secret: text(
          '`webhook`: the signing secret, `whsec_` and 24 to 64 bytes in base64; generated if omitted.',
        ),
        to: text('`email`: one email address.'),
        botToken: text('`telegram`: the token of the bot.'),
        chatId: text('`telegram`: the number of the chat, or `@channelname`.'),
        token: text('`ntfy`: an access token, if the topic needs one.'),
      }),
      {
        additionalProperties: false,
        description:
          'The destination and its secrets, never shown again. webhook: `url`, `secret`; email: `to`; slack and discord: ' +
          '`url`; telegram: `botToken` and `chatId`; ntfy: `url`, `token`.',
      },
    ),
  ),
  enabled: Type.Boolean({
    description:
      'Whether the channel is notified. Disabling it cancels deliveries that are still pending.',
    default: true,
  }),
  jobIds: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: id('The id of a job.'),
    description: `The jobs of this channel, at most ${channelLimits.jobIds} ids; null for all jobs of the workspace.`,
    default: null,
  }),
  afterFailures: Type.Integer({
    minimum: channelLimits.afterFailures.min,
    maximum: channelLimits.afterFailures.max,
    description: 'Consecutive failures of a job before this channel is notified.',
    default: 1,
  }),
};

const type = oneOf(channelTypes, { description: 'The kind of the channel; it cannot be changed.' });
const { enabled, jobIds, afterFailures } = optional(fields);
const updateFields = withoutDefaults(fields);

export const ChannelInput = input(
  'ChannelInput',
  'A channel to create. Omitted fields get their defaults.',
  [examples.channelInput, examples.mailChannelInput],
  { name: fields.name, type, config: fields.config, enabled, jobIds, afterFailures },
);
export type ChannelInput = Static<typeof ChannelInput>;

export const Delivery = output('Delivery', 'One alert to one channel.', examples.delivery, {
  id: id('The id of the delivery. Every attempt sends it as `webhook-id`.'),
  event: oneOf(alertTypes, { description: 'The event that the alert reports.' }),
  status: oneOf(deliveryStatuses, {
    description:
      '`pending` until it has arrived or a day has passed; then `delivered` or `failed`.',
  }),
  attempts: integer('Attempts made so far.'),
  lastAttemptAt: nullable(moment('When the last attempt ended.')),
  lastError: nullable(text('Why the last attempt failed; null if it arrived.')),
  createdAt: moment('When the delivery was created.'),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryAttempt = output(
  'DeliveryAttempt',
  'One attempt of a delivery.',
  examples.deliveryAttempt,
  {
    number: integer('The number of the attempt, starting at 1.'),
    startedAt: moment('When the attempt started.'),
    durationMs: integer('The duration of the attempt, in milliseconds.'),
    httpStatus: nullable(
      integer('The HTTP status of the response; null if there was none, and for email.'),
    ),
    error: nullable(text('Why the attempt failed; null if the alert arrived.')),
  },
);

export const Channel = output('Channel', 'A destination for alerts.', examples.channel, {
  id: id('The id of the channel.'),
  name: text('The name of the channel.'),
  type,
  enabled: updateFields.enabled,
  jobIds: updateFields.jobIds,
  afterFailures: integer('Consecutive failures of a job before this channel is notified.'),
  createdAt: moment('When the channel was created.'),
  lastDelivery: Type.Union([Delivery, Type.Null()], {
    description: 'The newest delivery that was attempted, else the newest; null if there is none.',
  }),
});
export type Channel = Static<typeof Channel>;

/** Fields that a client reads and cannot set. */
const channelState = Type.Pick(Channel, ['id', 'type', 'createdAt', 'lastDelivery']).properties;

export const ChannelUpdate = input(
  'ChannelUpdate',
  'Changes to a channel. Omitted fields keep their values. `config` is replaced as a whole, but a webhook keeps its secret if ' +
    'no new one is given. You can send back the `channel` object of a GET: its read-only fields `id`, `type` and `createdAt` ' +
    'must be unchanged, and `lastDelivery` is ignored.',
  [examples.channelUpdate],
  { ...optional(updateFields), ...optional(readOnly(channelState)) },
);
export type ChannelUpdate = Static<typeof ChannelUpdate>;

export const ChannelResponse = envelope('ChannelResponse', { channel: Channel });
export type ChannelResponse = Static<typeof ChannelResponse>;
export const ChannelList = envelope('ChannelList', page('channels', Channel));
export type ChannelList = Static<typeof ChannelList>;

export const ChannelMade = envelope(
  'ChannelMade',
  {
    channel: Channel,
    secret: Type.Optional(
      text('The signing secret of a webhook, if it was generated. It is shown only once.'),
    ),
  },
  examples.channelMade,
);
export type ChannelMade = Static<typeof ChannelMade>;

export const DeliveryResponse = envelope(
  'DeliveryResponse',
  { delivery: Delivery },
  examples.deliveryResponse,
);
export type DeliveryResponse = Static<typeof DeliveryResponse>;
export const DeliveryList = envelope('DeliveryList', page('deliveries', Delivery));
export type DeliveryList = Static<typeof DeliveryList>;

export const TriedDelivery = envelope(
  'TriedDelivery',
  {
    delivery: Delivery,
    attempts: Type.Array(DeliveryAttempt, { description: 'Oldest first.' }),
  },
  examples.triedDelivery,
);
export type TriedDelivery = Static<typeof TriedDelivery>;

export const ChannelPath = Type.Object({ id: id('The id of the channel.') });
export const DeliveryPath = Type.Object({
  id: id('The id of the channel.'),
  deliveryId: id('The id of the delivery.'),
});
