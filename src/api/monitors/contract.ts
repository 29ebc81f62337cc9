/** The contract of monitors, an extension: what people give, and what they see. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { jobActions, scheduleTypes } from '../../domain/jobs/job.ts';
import { monitorLimits, monitorStatuses } from '../../domain/monitors/monitor.ts';
import { defaultGraceSeconds } from '../../domain/monitors/monitor-input.ts';
import { pingKinds, pingMethods } from '../../domain/monitors/ping.ts';
import { nextCursor } from '../contract.ts';
import * as examples from '../description/examples.ts';
import { jobFields } from '../jobs/fields.ts';
import {
  id,
  integer,
  moment,
  nullable,
  oneOf,
  readOnly,
  text,
  withoutDefaults,
} from '../http/schema.ts';

const { cronExpr, timezone } = jobFields;
const { min, max } = monitorLimits.graceSeconds;

/** The fields that people give, at creation and later. */
const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: monitorLimits.nameLength,
    description: 'What people call the monitor. Not blank; it need not be unique.',
  }),
  scheduleType: nullable(
    oneOf(scheduleTypes, {
      description: 'Whether `cronExpr` or `periodSeconds` says when a ping is due.',
      default: 'cron',
    }),
  ),
  cronExpr,
  timezone,
  periodSeconds: nullable(
    Type.Integer({
      minimum: monitorLimits.periodSeconds.min,
      maximum: monitorLimits.periodSeconds.max,
      description:
        'Seconds from one ping to the next. Required when `scheduleType` is `period`; refused when it is `cron`, unless ' +
        'null or, in an update, unchanged.',
    }),
  ),
  graceSeconds: Type.Integer({
    minimum: min,
    maximum: max,
    description:
      'Seconds that a ping may be overdue before the monitor is down. A run that has started must end before they are over.',
    default: defaultGraceSeconds,
  }),
  notes: Type.String({
    maxLength: monitorLimits.notesLength,
    description: 'Anything people want to remember about the monitor.',
    default: '',
  }),
};

const optionalFields = Type.Partial(Type.Object(fields)).properties;

/** Input of a creation. */
export const MonitorInput = Type.Object(
  {
    ...optionalFields,
    name: fields.name,
    paused: Type.Optional(
      Type.Boolean({
        description: 'Creates the monitor paused: no ping is expected until it is resumed.',
        default: false,
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'MonitorInput',
    description: 'A monitor to create. What is not given has its default.',
    examples: [examples.monitorInput, examples.periodMonitorInput],
  },
);
export type MonitorInput = Static<typeof MonitorInput>;

/** A monitor as it is returned. */
export const Monitor = Type.Object(
  {
    id: id('The id of the monitor.'),
    name: text('What people call the monitor.'),
    scheduleType: oneOf(scheduleTypes, {
      description: 'Whether `cronExpr` or `periodSeconds` says when a ping is due.',
    }),
    cronExpr: nullable(text('When a ping is due, read in `timezone`.')),
    timezone: text('IANA time zone.'),
    periodSeconds: nullable(integer('Seconds from one ping to the next.')),
    graceSeconds: integer('Seconds that a ping may be overdue before the monitor is down.'),
    status: oneOf(monitorStatuses, {
      description:
        '`paused`; else `new` until the first ping; `up` after a success; `late` when the next ping is overdue; `down` ' +
        'after a failure, or when the grace has passed too.',
    }),
    pingUrl: nullable(
      Type.String({
        format: 'uri',
        description:
          'Where the task says how it is, by GET, POST or HEAD without a key: the URL itself or with `/0` behind it for a ' +
          'success, `/start` when a run begins, `/fail` or an exit code from 1 to 255 for a failure. A body of up to ' +
          '256 KiB may be sent by POST; the first 4096 bytes are kept. Whoever knows the URL may ping: a key that may ' +
          'only read is shown null.',
      }),
    ),
    nextDueAt: nullable(
      moment('When the next ping is due, in the past if it is overdue; null if none is expected.'),
    ),
    lastPingAt: nullable(moment('When the last run ended, as its ping said.')),
    lastDurationMs: nullable(
      integer('Milliseconds from the start to the end of that run; null if no start was told.'),
    ),
    notes: text('Anything people want to remember about the monitor.'),
    paused: Type.Boolean({ description: 'Whether no ping is expected.' }),
    createdAt: moment('When the monitor was created.'),
  },
  {
    title: 'Monitor',
    description: 'A task that runs elsewhere, and whether it said in time that it did.',
    examples: [examples.monitor],
  },
);
export type Monitor = Static<typeof Monitor>;

/** What people read of a monitor and cannot set. */
const readFields = Type.Pick(Monitor, [
  'id',
  'status',
  'pingUrl',
  'nextDueAt',
  'lastPingAt',
  'lastDurationMs',
  'paused',
  'createdAt',
]).properties;

/** Update of a monitor: what is not given stays as it is. A monitor may be sent back as it was read. */
export const MonitorUpdate = Type.Object(
  {
    ...Type.Partial(Type.Object(withoutDefaults(fields))).properties,
    action: Type.Optional(
      oneOf(jobActions, { description: 'Applied after the other fields, in one step with them.' }),
    ),
    ...Type.Partial(Type.Object(readOnly(readFields))).properties,
  },
  {
    additionalProperties: false,
    title: 'MonitorUpdate',
    description:
      'A change of a monitor. What is not given stays as it is. What GET answers inside `monitor` can be sent: of the ' +
      'read-only fields, `id`, `pingUrl`, `paused` and `createdAt` must be as they are, and the other ones are ignored ' +
      '(a `status` that would mean pausing or resuming is refused: use `action`).',
    examples: [examples.monitorUpdate, examples.pauseUpdate],
  },
);
export type MonitorUpdate = Static<typeof MonitorUpdate>;

/** A ping as it is returned. */
export const Ping = Type.Object(
  {
    id: id('The id of the ping.'),
    kind: oneOf(pingKinds, { description: 'What the task said.' }),
    exitCode: nullable(integer('Its exit code, if it was told.')),
    receivedAt: moment('When the ping came in.'),
    durationMs: nullable(integer('Milliseconds since the start of the run, if one was told.')),
    body: nullable(text('Beginning of what was sent with it, at most 4096 bytes of UTF-8.')),
    truncated: Type.Boolean({ description: 'Whether more was sent than is kept.' }),
    source: oneOf(pingMethods, { description: 'The method it came by.' }),
  },
  { title: 'Ping', description: 'What a task said about itself.', examples: [examples.ping] },
);
export type Ping = Static<typeof Ping>;

/** The envelopes. */
export const MonitorResponse = Type.Object(
  { monitor: Monitor },
  { title: 'MonitorResponse', examples: [examples.monitorResponse] },
);
export const MonitorList = Type.Object(
  { monitors: Type.Array(Monitor, { description: 'Newest first.' }), nextCursor },
  { title: 'MonitorList', examples: [examples.monitorList] },
);
export const PingList = Type.Object(
  { pings: Type.Array(Ping, { description: 'Newest first.' }), nextCursor },
  { title: 'PingList', examples: [examples.pingList] },
);

export type MonitorResponse = Static<typeof MonitorResponse>;
export type MonitorList = Static<typeof MonitorList>;
export type PingList = Static<typeof PingList>;

/** Path parameters. */
export const MonitorPath = Type.Object({ id: id('The id of the monitor.') });
