import { Type, type Static } from 'typebox';
import { actions } from '../../domain/fields.ts';
import { monitorDetails, monitorFields } from '../../domain/monitors/fields.ts';
import { pingKinds, pingMethods } from '../../domain/monitors/ping.ts';
import { downReasons, monitorStatuses } from '../../domain/monitors/status.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';

const { paused, ...fields } = t.inputFields(monitorFields, monitorDetails());

export const MonitorInput = t.input(
  'MonitorInput',
  'A monitor to create. Omitted fields get their defaults.',
  [examples.monitorInput, examples.periodMonitorInput],
  { ...t.optional({ ...fields, paused }), name: fields.name },
);
export type MonitorInput = Static<typeof MonitorInput>;

const { paused: shownPaused, ...shown } = t.shownFields(monitorFields);
const id = t.id('The id of the monitor.');
/** Fields that a client reads and cannot set. */
const state = {
  status: t.oneOf(
    monitorStatuses,
    '`paused`; else `new` before the first ping, `up` after a success, `late` when a ping is overdue, and `down` ' +
      'after a failure or when the grace period is over.',
  ),
  downReason: t.nullable(
    t.oneOf(downReasons, 'Why it is `down`: its task failed, or no success in time; else null.'),
  ),
  missedDueAt: t.momentOrNull('If that is why it is `down`: the due time whose ping did not come.'),
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
  nextDueAt: t.momentOrNull(
    'When the next ping is due; in the past if it is overdue, null if none is expected.',
  ),
  lastPingAt: t.momentOrNull('When the last run ended, according to its ping.'),
  lastDurationMs: t.integerOrNull(
    'The duration of that run in milliseconds; null without a start ping.',
  ),
  paused: shownPaused,
  createdAt: t.moment('When the monitor was created.'),
  ...t.covered,
};

export const Monitor = t.output(
  'Monitor',
  'A task that runs elsewhere, and whether its pings arrive in time.',
  examples.monitor,
  { id, ...shown, ...state },
);
export type Monitor = Static<typeof Monitor>;

export const MonitorUpdate = t.input(
  'MonitorUpdate',
  'Changes to a monitor. Omitted fields keep their values. You can send back the `monitor` object of a GET: its read-only ' +
    'fields `id`, `pingUrl`, `paused` and `createdAt` must be unchanged, and the others are ignored. A `status` that would ' +
    'pause or resume the monitor is refused: use `action`.',
  [examples.monitorUpdate, { action: 'pause' }],
  {
    ...t.optional(t.withoutDefaults(fields)),
    action: Type.Optional(t.oneOf(actions, 'Applied together with the other fields, after them.')),
    ...t.optional(t.readOnly({ id, ...state })),
  },
);
export type MonitorUpdate = Static<typeof MonitorUpdate>;

export const Ping = t.output('Ping', 'A signal from a task.', examples.ping, {
  id: t.id('The id of the ping.'),
  kind: t.oneOf(pingKinds, 'What the task reported.'),
  exitCode: t.integerOrNull('The exit code, if the ping had one.'),
  receivedAt: t.moment('When the ping arrived.'),
  durationMs: t.integerOrNull('Milliseconds since the start ping of the run, if there was one.'),
  body: t.textOrNull('The beginning of the body, at most 4096 bytes of UTF-8.'),
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
