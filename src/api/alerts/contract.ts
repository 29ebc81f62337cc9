/** The contract of channels, an extension: where alerts go, and what became of them. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { alertTypes } from '../../domain/alerts/alert.ts';
import { channelLimits, channelTypes } from '../../domain/alerts/channel.ts';
import { deliveryStatuses } from '../../domain/alerts/delivery.ts';
import { nextCursor } from '../contract.ts';
import * as examples from './examples.ts';
import { id, integer, moment, nullable, oneOf, readOnly, text } from '../http/schema.ts';

const secretField = (description: string): ReturnType<typeof Type.Optional> =>
  Type.Optional(Type.String({ description }));

/** Where a channel delivers to: which fields it has follows from its type. Never shown again. */
const ChannelConfig = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {
      url: secretField(
        '`webhook`, `slack`, `discord`: where to post. `ntfy`: server and topic, as `https://ntfy.sh/my-topic`. ' +
          'A public http or https address, by the rule of a job.',
      ),
      secret: secretField(
        '`webhook`: what it is signed with, `whsec_` and 24 to 64 bytes in base64; made if not given.',
      ),
      to: secretField('`email`: one mail address.'),
      botToken: secretField('`telegram`: the token of the bot.'),
      chatId: secretField('`telegram`: the number of the chat, or `@channelname`.'),
      token: secretField('`ntfy`: an access token, if the topic needs one.'),
    },
    {
      additionalProperties: false,
      description:
        'Where it delivers to, with its secrets. webhook: `url`, `secret`; email: `to`; slack and discord: `url`; ' +
        'telegram: `botToken` and `chatId`; ntfy: `url`, `token`. It is never shown again.',
    },
  ),
);

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: channelLimits.nameLength,
    description: 'What people call the channel. Not blank; it need not be unique.',
  }),
  config: ChannelConfig,
  enabled: Type.Boolean({
    description: 'Whether it is told. Disabling it gives up what is not delivered yet.',
    default: true,
  }),
  jobIds: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: id('The id of a job.'),
    description: `Ids of the jobs it serves, at most ${channelLimits.jobIds}; null for every one of the workspace.`,
    default: null,
  }),
  afterFailures: Type.Integer({
    minimum: channelLimits.afterFailures.min,
    maximum: channelLimits.afterFailures.max,
    description: 'Consecutive failures of a job before this channel is alerted.',
    default: 1,
  }),
};

const type = oneOf(channelTypes, { description: 'The kind of the channel; it never changes.' });

/** Input of a creation. */
export const ChannelInput = Type.Object(
  {
    name: fields.name,
    type,
    config: fields.config,
    enabled: Type.Optional(fields.enabled),
    jobIds: Type.Optional(fields.jobIds),
    afterFailures: Type.Optional(fields.afterFailures),
  },
  {
    additionalProperties: false,
    title: 'ChannelInput',
    description: 'A channel to create. What is not given has its default.',
    examples: [examples.channelInput, examples.mailChannelInput],
  },
);
export type ChannelInput = Static<typeof ChannelInput>;

const { enabled, jobIds, afterFailures } = fields;
const withoutDefault = <T extends object>(schema: T): T => {
  const copy: T & { default?: unknown } = structuredClone(schema);
  delete copy.default;
  return copy;
};

/** A delivery as it is returned. */
export const Delivery = Type.Object(
  {
    id: id('The id of the delivery; all its attempts carry it as `webhook-id`.'),
    event: oneOf(alertTypes, { description: 'What it tells.' }),
    status: oneOf(deliveryStatuses, {
      description:
        '`pending` until it has arrived or a day has passed; then `delivered` or `failed`.',
    }),
    attempts: integer('Attempts made so far.'),
    lastAttemptAt: nullable(moment('When the last attempt ended.')),
    lastError: nullable(text('Why the last attempt did not arrive; null if it did.')),
    createdAt: moment('When it was made.'),
  },
  {
    title: 'Delivery',
    description: 'One alert on its way to one channel.',
    examples: [examples.delivery],
  },
);
export type Delivery = Static<typeof Delivery>;

/** One attempt of a delivery as it is returned. */
export const DeliveryAttempt = Type.Object(
  {
    number: integer('Which attempt it was, from 1 on.'),
    startedAt: moment('When it began.'),
    durationMs: integer('How long it took.'),
    httpStatus: nullable(
      integer('What the other side answered; null if no answer came, and for mail.'),
    ),
    error: nullable(text('Why it did not arrive; null if it did.')),
  },
  {
    title: 'DeliveryAttempt',
    description: 'One attempt to bring an alert to its channel.',
    examples: [examples.deliveryAttempt],
  },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

/** A channel as it is returned: `config` is not. */
export const Channel = Type.Object(
  {
    id: id('The id of the channel.'),
    name: text('What people call the channel.'),
    type,
    enabled: withoutDefault(enabled),
    jobIds: withoutDefault(jobIds),
    afterFailures: integer('Consecutive failures of a job before this channel is alerted.'),
    createdAt: moment('When the channel was created.'),
    lastDelivery: Type.Union([Delivery, Type.Null()], {
      description: 'The newest delivery that was tried, else the newest; null if there is none.',
    }),
  },
  { title: 'Channel', description: 'A destination for alerts.', examples: [examples.channel] },
);
export type Channel = Static<typeof Channel>;

/** What people read of a channel and cannot set. */
const readFields = Type.Pick(Channel, ['id', 'type', 'createdAt', 'lastDelivery']).properties;

/** Update: what is not given stays as it is. A channel may be sent back as it was read. */
export const ChannelUpdate = Type.Object(
  {
    name: Type.Optional(fields.name),
    config: Type.Optional(fields.config),
    enabled: Type.Optional(withoutDefault(enabled)),
    jobIds: Type.Optional(withoutDefault(jobIds)),
    afterFailures: Type.Optional(withoutDefault(afterFailures)),
    ...Type.Partial(Type.Object(readOnly(readFields))).properties,
  },
  {
    additionalProperties: false,
    title: 'ChannelUpdate',
    description:
      'A change of a channel. What is not given stays as it is; `config` replaces the whole, but a webhook without a new ' +
      '`secret` keeps its own. What GET answers inside `channel` can be sent: of the read-only fields, `id`, `type` and ' +
      '`createdAt` must be as they are, and `lastDelivery` is ignored.',
    examples: [examples.channelUpdate],
  },
);
export type ChannelUpdate = Static<typeof ChannelUpdate>;

export const ChannelResponse = Type.Object(
  { channel: Channel },
  { title: 'ChannelResponse', examples: [examples.channelResponse] },
);
export const ChannelMade = Type.Object(
  {
    channel: Channel,
    secret: Type.Optional(
      text('What a webhook is signed with, if it was made here. It is shown only now.'),
    ),
  },
  { title: 'ChannelMade', examples: [examples.channelMade] },
);
export const ChannelList = Type.Object(
  { channels: Type.Array(Channel, { description: 'Newest first.' }), nextCursor },
  { title: 'ChannelList', examples: [examples.channelList] },
);
export const DeliveryResponse = Type.Object(
  { delivery: Delivery },
  { title: 'DeliveryResponse', examples: [examples.deliveryResponse] },
);
export const TriedDelivery = Type.Object(
  {
    delivery: Delivery,
    attempts: Type.Array(DeliveryAttempt, { description: 'The first one first.' }),
  },
  { title: 'TriedDelivery', examples: [examples.triedDelivery] },
);
export const DeliveryList = Type.Object(
  { deliveries: Type.Array(Delivery, { description: 'Newest first.' }), nextCursor },
  { title: 'DeliveryList', examples: [examples.deliveryList] },
);
export type ChannelMade = Static<typeof ChannelMade>;
export type ChannelList = Static<typeof ChannelList>;
export type ChannelResponse = Static<typeof ChannelResponse>;
export type DeliveryResponse = Static<typeof DeliveryResponse>;
export type TriedDelivery = Static<typeof TriedDelivery>;
export type DeliveryList = Static<typeof DeliveryList>;

export const ChannelPath = Type.Object({ id: id('The id of the channel.') });
export const DeliveryPath = Type.Object({
  id: id('The id of the channel.'),
  deliveryId: id('The id of the delivery.'),
});
