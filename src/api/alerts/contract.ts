/** What the API accepts and returns about channels and deliveries. A channel's `config` is never returned. */

import { Type, type Static } from 'typebox';
import { alertTypes } from '../../domain/alerts/alert.ts';
import { configSummary } from '../../domain/alerts/config.ts';
import { deliveryStatuses } from '../../domain/alerts/delivery.ts';
import { channelDetails, channelFields } from '../../domain/alerts/fields.ts';
import { channelKinds, channelTypes } from '../../domain/alerts/kinds/registry.ts';
import { IdPrefix, page, PageQuery } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';

const kinds = Object.entries(channelKinds);

/** What a field of `config` holds, for each kind that has it. */
function configField(name: string) {
  const uses = kinds.flatMap(([type, { fields }]) =>
    fields[name] === undefined ? [] : [`\`${type}\`: ${fields[name].description}`],
  );
  return Type.Optional(t.text(`${uses.join('; ')}.`));
}

/** Where a channel delivers to: which fields it has follows from its type. Never shown again. */
const ChannelConfig = Type.Unsafe<Record<string, string>>(
  Type.Object(
    Object.fromEntries(
      kinds.flatMap(([, { fields }]) =>
        Object.keys(fields).map((name) => [name, configField(name)]),
      ),
    ),
    {
      additionalProperties: false,
      description:
        `The destination and its secrets, never shown again. ${configSummary().join('; ')}. URLs must be public http or ` +
        'https addresses, by the same rules as the URL of a job.',
      examples: kinds.map(([, { example }]) => example),
    },
  ),
);

const { name, ...rest } = t.inputFields(channelFields, channelDetails());
const type = t.oneOf(channelTypes, 'The kind of the channel; it cannot be changed.');

export const ChannelInput = t.input(
  'ChannelInput',
  'A channel to create. Omitted fields get their defaults.',
  [examples.channelInput, examples.mailChannelInput],
  { name, type, config: ChannelConfig, ...t.optional(rest) },
);
export type ChannelInput = Static<typeof ChannelInput>;

const Subject = t.part('A job or monitor.', {
  type: t.oneOf(['job', 'monitor'], 'What it is.'),
  id: t.id('Its id.'),
  name: t.text('Its name when the alert was made.'),
});

export const Delivery = t.output('Delivery', 'One alert to one channel.', examples.delivery, {
  id: t.id('The id of the delivery. Every attempt sends it as `webhook-id`.'),
  event: t.oneOf(alertTypes, 'The event that the alert reports.'),
  subject: Type.Union([Subject, Type.Null()], {
    description: 'What the alert is about; null if that is no job or monitor, or several.',
  }),
  status: t.oneOf(
    deliveryStatuses,
    '`pending` until it has arrived or a day has passed; then `delivered` or `failed`.',
  ),
  attempts: t.integer('Attempts made so far.'),
  lastAttemptAt: t.momentOrNull('When the last attempt ended.'),
  lastError: t.textOrNull('Why the last attempt failed; null if it arrived.'),
  createdAt: t.moment('When the delivery was created.'),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryAttempt = t.output(
  'DeliveryAttempt',
  'One attempt of a delivery.',
  examples.deliveryAttempt,
  {
    number: t.integer('The number of the attempt, starting at 1.'),
    startedAt: t.moment('When the attempt started.'),
    durationMs: t.integer('The duration of the attempt, in milliseconds.'),
    httpStatus: t.integerOrNull(
      'The HTTP status of the response; null if there was none, and for email.',
    ),
    error: t.textOrNull('Why the attempt failed; null if the alert arrived.'),
  },
);

const { name: shownName, ...shown } = t.shownFields(channelFields);
const id = t.id('The id of the channel.');
/** Fields that a client reads and cannot set. */
const state = {
  type,
  destination: t.textOrNull(
    'Where it leads, without what is secret: the host that is called, or masked addresses such as `o…@example.com`. ' +
      'Null if its `config` cannot be read.',
  ),
  createdAt: t.moment('When the channel was created.'),
  lastDelivery: Type.Union([Delivery, Type.Null()], {
    description: 'The newest delivery that was attempted, else the newest; null if there is none.',
  }),
  consecutiveFailures: t.integer('Deliveries that were given up since the last one that arrived.'),
  nextAttemptAt: t.momentOrNull(
    'An attempt failed, of a test too, and alerts wait: when the next one is. Null if none waits for that.',
  ),
};

export const Channel = t.output('Channel', 'A destination for alerts.', examples.channel, {
  id,
  name: shownName,
  ...state,
  ...shown,
});
export type Channel = Static<typeof Channel>;

export const ChannelUpdate = t.input(
  'ChannelUpdate',
  'Changes to a channel. Omitted fields keep their values. `config` is replaced as a whole, but a webhook keeps its secret if ' +
    'no new one is given. You can send back the `channel` object of a GET: its read-only fields `id`, `type` and `createdAt` ' +
    'must be unchanged, and `destination`, `lastDelivery`, `consecutiveFailures` and `nextAttemptAt` are ignored.',
  [examples.channelUpdate],
  {
    ...t.optional(t.withoutDefaults({ name, config: ChannelConfig, ...rest })),
    ...t.optional(t.readOnly({ id, ...state })),
  },
);
export type ChannelUpdate = Static<typeof ChannelUpdate>;

export const ChannelResponse = t.envelope('ChannelResponse', { channel: Channel });
export type ChannelResponse = Static<typeof ChannelResponse>;
export const ChannelList = t.envelope('ChannelList', page('channels', Channel));
export type ChannelList = Static<typeof ChannelList>;

export const ChannelMade = t.envelope(
  'ChannelMade',
  {
    channel: Channel,
    secret: Type.Optional(
      t.text('The signing secret of a webhook, if it was generated. It is shown only once.'),
    ),
  },
  examples.channelMade,
);
export type ChannelMade = Static<typeof ChannelMade>;

export const DeliveryResponse = t.envelope(
  'DeliveryResponse',
  { delivery: Delivery },
  examples.deliveryResponse,
);
export type DeliveryResponse = Static<typeof DeliveryResponse>;
export const DeliveryList = t.envelope('DeliveryList', page('deliveries', Delivery));
export type DeliveryList = Static<typeof DeliveryList>;

const PostedResult = t.output(
  'PostedResult',
  'A finished run of a job that is posted to its `onResult`.',
  examples.postedResult,
  {
    ...Delivery.properties,
    runId: t.id('The id of the run.'),
    nextAttemptAt: t.momentOrNull(
      'The earliest time of the next attempt; null if there will be none.',
    ),
  },
);
export type PostedResult = Static<typeof PostedResult>;

export const PostedResults = t.envelope('PostedResults', page('deliveries', PostedResult));
export type PostedResults = Static<typeof PostedResults>;

export const TriedDelivery = t.envelope(
  'TriedDelivery',
  {
    delivery: Delivery,
    attempts: t.array(DeliveryAttempt, 'Oldest first.'),
  },
  examples.triedDelivery,
);
export type TriedDelivery = Static<typeof TriedDelivery>;

const ListedDelivery = t.output(
  'ListedDelivery',
  'A delivery in a list, with its channel.',
  examples.listedDelivery,
  {
    ...Delivery.properties,
    channel: t.part('The channel.', {
      id: t.id('The id of the channel.'),
      name: t.text('The name of the channel.'),
    }),
  },
);
export type ListedDelivery = Static<typeof ListedDelivery>;

export const AllDeliveries = t.envelope('AllDeliveries', page('deliveries', ListedDelivery));
export type AllDeliveries = Static<typeof AllDeliveries>;

export const DeliveryQuery = t.query({
  ...PageQuery.properties,
  jobId: Type.Optional(t.id('Only alerts of this job.')),
  monitorId: Type.Optional(t.id('Only alerts of this monitor.')),
  idPrefix: IdPrefix,
});

export const ChannelPath = Type.Object({ id: t.id('The id of the channel.') });
export const DeliveryPath = Type.Object({
  id: t.id('The id of the channel.'),
  deliveryId: t.id('The id of the delivery.'),
});
