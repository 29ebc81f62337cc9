/** The channels of a demo, and what became of its alerts: deliveries and their attempts. */

import { createChannel, updateChannel } from '../../../src/app/alerts/channels.ts';
import { testChannel } from '../../../src/app/alerts/deliveries.ts';
import type { ChannelInput } from '../../../src/domain/alerts/channel.ts';
import { nextAttemptAt } from '../../../src/domain/alerts/delivery.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { recordAttempt } from '../../../src/store/alerts/attempts.ts';
import { findDueChannels, findDueDeliveries } from '../../../src/store/alerts/delivery-queue.ts';
import { around } from './calls.ts';
import { dayMs, hourMs } from './world.ts';
import type { Moment, World } from './world.ts';

/** A result of an attempt. */
interface Attempted {
  httpStatus: number | null;
  error: string | null;
  ms: number;
}

interface DemoChannel {
  input: ChannelInput;
  createdAt: number;
  /** What its other side answers at a time. */
  attempt: (at: number) => Attempted;
  testedAt?: number;
  disabledAt?: number;
}

/** How many deliveries wait for their next attempt in the end. */
export const pendingDeliveries = 1;

/** All channels by a short name. `idOf` returns the id of a job once it exists. */
function demoChannels(world: World, idOf: (job: 'invoices' | 'nightlyBackup') => string) {
  const { nowMs: now, targetUrl, random } = world;
  return {
    onCall: {
      createdAt: now - 45 * dayMs,
      input: { name: 'On call', type: 'webhook', config: { url: `${targetUrl}/alerts` } },
      attempt: () =>
        random() < 0.12
          ? { httpStatus: 503, error: 'http: 503, try later', ms: around(30, random) }
          : { httpStatus: 204, error: null, ms: around(24, random) },
      testedAt: now - 44.9 * dayMs,
    },
    teamChat: {
      createdAt: now - 20 * dayMs,
      input: {
        name: 'Team chat',
        type: 'slack',
        config: { url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX' },
        get jobIds() {
          return [idOf('invoices'), idOf('nightlyBackup')];
        },
      },
      attempt: (at) =>
        at > now - 3 * hourMs
          ? { httpStatus: 503, error: 'http: 503, service_unavailable', ms: around(210, random) }
          : { httpStatus: 200, error: null, ms: around(160, random) },
      testedAt: now - 19.9 * dayMs,
    },
    mail: {
      createdAt: now - 40 * dayMs,
      input: {
        name: 'Ann by mail',
        type: 'email',
        config: { to: 'ann@example.com' },
        afterFailures: 3,
      },
      attempt: () => ({ httpStatus: null, error: null, ms: around(480, random) }),
    },
    phone: {
      createdAt: now - 10 * dayMs,
      input: {
        name: 'Phone',
        type: 'ntfy',
        config: { url: 'https://ntfy.example.com/ops-alerts', token: 'tk_demo0000000' },
      },
      attempt: (at) =>
        at > now - 4 * dayMs
          ? { httpStatus: 403, error: 'http: 403, forbidden', ms: around(60, random) }
          : { httpStatus: 200, error: null, ms: around(90, random) },
      disabledAt: now - 1.1 * dayMs,
    },
  } satisfies Record<string, DemoChannel>;
}

export type DemoChannelName = keyof ReturnType<typeof demoChannels>;

export interface DemoAlerts {
  moments: Moment[];
  /** Ids by short names, once they exist. */
  ids: Record<DemoChannelName, string>;
  /** Delivers what is due until then, in epoch milliseconds. */
  readonly deliverUntil: (until: number) => Promise<void>;
}

/** The alerts of a demo. */
export function alertsOf(
  world: World,
  idOf: (job: 'invoices' | 'nightlyBackup') => string,
): DemoAlerts {
  const { app, local, clock, laptop, owner } = world;
  const { store } = local;
  const ids = {} as Record<DemoChannelName, string>;
  const moments: Moment[] = [];
  const channels: Record<DemoChannelName, DemoChannel> = demoChannels(world, idOf);
  for (const [name, channel] of Object.entries(channels) as [DemoChannelName, DemoChannel][]) {
    const { input, createdAt, testedAt, disabledAt } = channel;
    const create = async (): Promise<void> => {
      ids[name] = (await createChannel(app, laptop, input)).channel.id;
    };
    moments.push({ at: createdAt, happen: create });
    if (testedAt !== undefined) {
      moments.push({ at: testedAt, happen: () => testChannel(app, owner, ids[name]) });
    }
    if (disabledAt !== undefined) {
      const disable = () => updateChannel(app, owner, ids[name], { enabled: false });
      moments.push({ at: disabledAt, happen: disable });
    }
  }
  const expander = createExpander(store, clock);

  async function attemptOne(until: number): Promise<boolean> {
    const [due] = await findDueChannels(store.db, until, { limit: 1, except: [], exceptOf: [] });
    if (due === undefined) return false;
    const row = await store.db
      .selectFrom('channels')
      .select(['name', 'next_delivery_at'])
      .where('id', '=', due.id)
      .executeTakeFirstOrThrow();
    const startedAt = row.next_delivery_at ?? until;
    const page = { limit: 1, except: [] };
    const [delivery] = await findDueDeliveries(store.db, due.id, startedAt, page);
    const channel = Object.values(channels).find(({ input }) => input.name === row.name);
    if (delivery === undefined || channel === undefined) throw new Error('nothing is due');
    const begunAt = Math.max(startedAt, delivery.createdAt);
    const { ms, error, httpStatus } = channel.attempt(begunAt);
    const durationMs = Math.round(ms);
    const at = begunAt + durationMs;
    clock.set(at);
    const tried = { createdAt: delivery.createdAt, attempts: delivery.attempts + 1 };
    // The longest waits: what is pending in the end is not tried soon.
    const next = error === null ? null : nextAttemptAt(tried, at, 1);
    const result = { durationMs, error, httpStatus, nextAttemptAt: next, backOff: null };
    await store.write((tx) => recordAttempt(tx, { delivery, at, startedAt: begunAt, ...result }));
    return true;
  }

  async function expandAll(): Promise<void> {
    while ((await expander.expand([])) > 0);
  }

  return {
    moments,
    ids,
    async deliverUntil(until) {
      await expandAll();
      while (await attemptOne(until));
      clock.set(until);
      await expander.release([]);
    },
  };
}
