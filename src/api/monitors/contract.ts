/** What the API accepts and returns about monitors and their pings. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { actions } from '../../domain/fields.ts';
import { defaultGraceSeconds, monitorRules } from '../../domain/monitors/monitor.ts';
import { pingKinds, pingMethods } from '../../domain/monitors/ping.ts';
import { monitorStatuses } from '../../domain/monitors/status.ts';
import { scheduleTypes } from '../../domain/schedule/schedule.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import { scheduleFields } from '../schedule/fields.ts';
import * as examples from './examples.ts';

/** The fields that a client can set, at creation and later. */
const fields = {
  name: t.field(monitorRules.name, {
    description: 'The name of the monitor. Not blank; it need not be unique.',
  }),
  ...scheduleFields('a ping', 'Seconds between two pings.'),
  graceSeconds: t.field(monitorRules.graceSeconds, {
    description:
      'Seconds that a ping may be overdue before the monitor is down. A run that has started must also end within this time.',
    default: defaultGraceSeconds,
  }),
  notes: t.field(monitorRules.notes, { description: 'Free text.', default: '' }),
};

export const MonitorInput = t.input(
  'MonitorInput',
  'A monitor to create. Omitted fields get their defaults.',
  [examples.monitorInput, examples.periodMonitorInput],
  {
    ...t.optional(fields),
    name: fields.name,
    paused: Type.Optional(
      t.field(monitorRules.paused, {
        description: 'Creates the monitor paused: no ping is expected until it is resumed.',
        default: false,
      }),
    ),
  },
);
export type MonitorInput = Static<typeof MonitorInput>;

export const Monitor = t.output(
  'Monitor',
  'A task that runs elsewhere, and whether its pings arrive in time.',
  examples.monitor,
  {
    id: t.id('The id of the monitor.'),
    name: t.text('The name of the monitor.'),
    scheduleType: t.oneOf(
      scheduleTypes,
      'Whether `cronExpr` or `periodSeconds` says when a ping is due.',
    ),
    cronExpr: t.nullable(t.text('When a ping is due, as a cron expression in `timezone`.')),
    timezone: t.text('IANA time zone.'),
    periodSeconds: t.nullable(t.integer('Seconds between two pings.')),
    graceSeconds: t.integer('Seconds that a ping may be overdue before the monitor is down.'),
    status: t.oneOf(
      monitorStatuses,
      '`paused`; else `new` before the first ping, `up` after a success, `late` when a ping is overdue, and `down` ' +
        'after a failure or when the grace period is over.',
    ),
    pingUrl: t.nullable(
      Type.String({
        format: 'uri',
        description:
          'The URL that the task requests by GET, POST or HEAD, without a key: the URL itself or with `/0` appended for a ' +
          'success, with `/start` when a run starts, and with `/fail` or an exit code from 1 to 255 for a failure. A POST may ' +
          'have a body of any size; the first 4096 bytes are kept. Anyone who knows the URL can ping, so a read-only ' +
          'key gets null.',
      }),
    ),
    nextDueAt: t.nullable(
      t.moment(
        'When the next ping is due; in the past if it is overdue, null if none is expected.',
      ),
    ),
    lastPingAt: t.nullable(t.moment('When the last run ended, according to its ping.')),
    lastDurationMs: t.nullable(
      t.integer('The duration of that run in milliseconds; null without a start ping.'),
    ),
    notes: t.text('Free text.'),
    paused: t.flag('Whether the monitor is paused: no ping is expected.'),
    createdAt: t.moment('When the monitor was created.'),
  },
);
export type Monitor = Static<typeof Monitor>;

/** Fields that a client reads and cannot set. */
const monitorState = Type.Pick(Monitor, [
  'id',
  'status',
  'pingUrl',
  'nextDueAt',
  'lastPingAt',
  'lastDurationMs',
  'paused',
  'createdAt',
]).properties;

export const MonitorUpdate = t.input(
  'MonitorUpdate',
  'Changes to a monitor. Omitted fields keep their values. You can send back the `monitor` object of a GET: its read-only ' +
    'fields `id`, `pingUrl`, `paused` and `createdAt` must be unchanged, and the others are ignored. A `status` that would ' +
    'pause or resume the monitor is refused: use `action`.',
  [examples.monitorUpdate, { action: 'pause' }],
  {
    ...t.optional(t.withoutDefaults(fields)),
    action: Type.Optional(t.oneOf(actions, 'Applied together with the other fields, after them.')),
    ...t.optional(t.readOnly(monitorState)),
  },
);
export type MonitorUpdate = Static<typeof MonitorUpdate>;

export const Ping = t.output('Ping', 'A signal from a task.', examples.ping, {
  id: t.id('The id of the ping.'),
  kind: t.oneOf(pingKinds, 'What the task reported.'),
  exitCode: t.nullable(t.integer('The exit code, if the ping had one.')),
  receivedAt: t.moment('When the ping arrived.'),
  durationMs: t.nullable(
    t.integer('Milliseconds since the start ping of the run, if there was one.'),
  ),
  body: t.nullable(t.text('The beginning of the body, at most 4096 bytes of UTF-8.')),
  truncated: t.flag('Whether the body was longer than the part that is kept.'),
  source: t.oneOf(pingMethods, 'The HTTP method of the ping.'),
});
export type Ping = Static<typeof Ping>;

export const MonitorResponse = t.envelope('MonitorResponse', { monitor: Monitor });
export type MonitorResponse = Static<typeof MonitorResponse>;
export const MonitorList = t.envelope('MonitorList', page('monitors', Monitor));
export type MonitorList = Static<typeof MonitorList>;
export const PingList = t.envelope('PingList', page('pings', Ping), examples.pingList);
export type PingList = Static<typeof PingList>;

export const MonitorPath = Type.Object({ id: t.id('The id of the monitor.') });
