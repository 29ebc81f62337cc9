/** The attempts in flight: how many there may be, and how each is made and recorded. */

import { backOffUntil, nextAttemptAt, type AttemptBounds } from '../../domain/alerts/delivery.ts';
import { loggedAlert } from '../../domain/alerts/logged-alert.ts';
import type { ChangeFeed } from '../../domain/changes.ts';
import { isoTime, rest, type Clock } from '../../domain/clock.ts';
import type { AttemptResult, Meter } from '../../domain/meter.ts';
import type { Log } from '../../base/log.ts';
import { findWorkspaceLabels } from '../../store/database/workspace-label.ts';
import type { DueChannel, DueDelivery } from '../../store/alerts/delivery-queue.ts';
import type { Store } from '../../store/database/store.ts';
import type { Membership } from '../nodes/membership.ts';
import { deliver, type DelivererParts, type Result } from './deliver.ts';
import { createRecording, type RecordAttempt } from './record-attempts.ts';

export interface NotifierParts extends DelivererParts {
  store: Store;
  clock: Clock;
  /** Numbers in [0, 1): attempts must not all come at the same moment. */
  random: () => number;
  membership: Membership;
  log: Log;
  meter: Meter;
  /** Hears which channels were used. */
  changes: ChangeFeed;
}

/** Attempts of one channel at a time. */
const maxPerChannel = 4;
/** How long a stop waits for attempts, and then for them to notice the abort. */
const drainMs = 3_000;
const afterAbortMs = 200;
/** Between tries to record an attempt. */
const recordAgainMs = 1_000;

export interface Attempts extends AsyncDisposable {
  /** Attempts that may be started now, over all channels. */
  free(): number;
  /** Attempts that a channel may start now. */
  freeFor(channel: DueChannel): number;
  /** Ids of the deliveries under way. */
  deliveryIds(): string[];
  /**
   * Ids of the channels and the workspaces that may start nothing now. Of channels that gave no answer: whether none may, and
   * ids of the workspaces whose may not.
   */
  full(): {
    channels: string[];
    workspaces: string[];
    isUnansweredFull: boolean;
    unansweredOf: string[];
  };
  start(channel: DueChannel, delivery: DueDelivery): void;
}

/** Makes a set without attempts. `onEnd` is called after each. Disposing of it aborts what does not end soon. */
export function createAttempts(
  parts: NotifierParts,
  { most, mostUnanswered, rests }: AttemptBounds,
  onEnd: () => void,
): Attempts {
  const aborter = new AbortController();
  const making = { ...parts, recordAttempt: createRecording(parts.store, parts.clock, rests) };
  const inFlight = new Map<string, { channel: DueChannel; ended: Promise<void> }>();

  const free = (): number => most - inFlight.size;
  const channels = (): DueChannel[] => Array.from(inFlight.values(), ({ channel }) => channel);

  const unanswered = (): DueChannel[] => channels().filter((channel) => channel.unanswered > 0);
  const freeUnanswered = (): number => mostUnanswered - unanswered().length;

  /** While a channel gives no answer, one attempt shows whether it does again. */
  function freeOfChannel(channel: DueChannel): number {
    const its = channel.unanswered > 0 ? Math.min(1, freeUnanswered()) : maxPerChannel;
    return its - channels().filter(({ id }) => id === channel.id).length;
  }

  const freeOfWorkspace = (id: string): number => shareOf(id, channels(), free());
  const freeUnansweredOf = (id: string): number => shareOf(id, unanswered(), freeUnanswered());

  function freeFor(channel: DueChannel): number {
    const { workspaceId } = channel;
    const its = Math.min(freeOfChannel(channel), freeOfWorkspace(workspaceId));
    return channel.unanswered > 0 ? Math.min(its, freeUnansweredOf(workspaceId)) : its;
  }

  /** Resolves when all in flight have ended, or after this. */
  async function allEnded(longestMs: number): Promise<void> {
    const all = Promise.all(Array.from(inFlight.values(), ({ ended }) => ended));
    const late = Promise.withResolvers<void>();
    using _ = parts.clock.after(longestMs, late.resolve);
    await Promise.race([all, late.promise]);
  }

  return {
    free,
    freeFor,
    deliveryIds: () => [...inFlight.keys()],
    full: () => ({
      channels: channels()
        .filter((channel) => freeOfChannel(channel) <= 0)
        .map(({ id }) => id),
      workspaces: channels()
        .map(({ workspaceId }) => workspaceId)
        .filter((id) => freeOfWorkspace(id) <= 0),
      isUnansweredFull: freeUnanswered() <= 0,
      unansweredOf: unanswered()
        .map(({ workspaceId }) => workspaceId)
        .filter((id) => freeUnansweredOf(id) <= 0),
    }),
    start(channel, delivery) {
      const ended = attempt(making, channel, delivery, aborter.signal).finally(() => {
        inFlight.delete(delivery.id);
        onEnd();
      });
      inFlight.set(delivery.id, { channel, ended });
    },
    async [Symbol.asyncDispose]() {
      await allEnded(drainMs);
      aborter.abort();
      // A mail cannot be called back, so it is not waited for.
      await allEnded(afterAbortMs);
    },
  };
}

/** What a workspace may start of these: it has at most as many as it leaves free, so that every other finds one. */
function shareOf(workspaceId: string, inFlight: readonly DueChannel[], free: number): number {
  const own = inFlight.filter((channel) => channel.workspaceId === workspaceId).length;
  return Math.ceil((free - own) / 2);
}

interface TimedResult extends Omit<Result, 'decodingMs'> {
  /** Epoch milliseconds. */
  startedAt: number;
  durationMs: number;
}

interface Making extends NotifierParts {
  recordAttempt: RecordAttempt;
}

/** Makes one attempt and records it as soon as the store can be written; until then it stays in flight. Never rejects. */
async function attempt(
  parts: Making,
  channel: DueChannel,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = parts;
  const to = { channel: channel.name, channelId: channel.id, deliveryId: delivery.id };
  try {
    const startedAt = clock.now();
    const began = clock.monotonicMs();
    const { decodingMs = 0, ...result } = await deliver(channel, delivery, parts, signal);
    const durationMs = Math.max(0, Math.round(clock.monotonicMs() - began - decodingMs));
    for (;;) {
      try {
        return await record(parts, channel, delivery, { ...result, startedAt, durationMs });
      } catch (error) {
        log.error({ err: error, ...to }, 'an attempt could not be recorded');
        await rest(clock, recordAgainMs, signal);
      }
    }
  } catch (error) {
    if (!signal.aborted) log.error({ err: error, ...to }, 'an attempt broke down');
  }
}

async function record(
  { store, recordAttempt, clock, random, changes, log, meter }: Making,
  channel: DueChannel,
  delivery: DueDelivery,
  { askedMs, isFinal, isAnswered, ...result }: TimedResult,
): Promise<void> {
  const { error } = result;
  const { id: deliveryId, event, createdAt } = delivery;
  const { id: channelId, workspaceId, name, type: channelType, unanswered } = channel;
  const at = clock.now();
  const attempts = delivery.attempts + 1;
  const isOver = error === null || isFinal;
  const nextAt = isOver ? null : nextAttemptAt({ createdAt, attempts }, at, random(), askedMs);
  const backOff = isAnswered ? null : { unanswered, until: backOffUntil(unanswered + 1, at) };
  const attempted = { delivery, at, ...result, nextAttemptAt: nextAt, backOff };
  if (!(await recordAttempt(attempted))) return;
  const waitsUntil = nextAt && Math.max(nextAt, backOff?.until ?? 0);
  changes.publish(workspaceId, { channels: [channelId] });
  const to = { channel: name, channelId, channelType, event, ...loggedAlert(delivery.payload) };
  const about = { ...(await workspaceOf(store, workspaceId)), ...to, deliveryId, attempts };
  if (event === 'run.finished') {
    meter.resultAttempted(resultOf(error, nextAt));
    return logResult(log, about, { error, nextAt: waitsUntil });
  }
  meter.alertAttempted(resultOf(error, nextAt));
  if (error === null) log.info(about, 'alert delivered');
  else if (waitsUntil === null) log.error({ ...about, error }, 'alert given up');
  else {
    const why = { error, nextAttemptAt: isoTime(waitsUntil) };
    log.warn({ ...about, ...why }, 'alert not delivered, will try again');
  }
}

/** A result of a job is no alert, and its target is the users' own: what does not arrive is a warning. */
function logResult(
  log: Log,
  about: object,
  { error, nextAt }: { error: string | null; nextAt: number | null },
): void {
  if (error === null) log.info(about, 'result delivered');
  else if (nextAt === null) log.warn({ ...about, error }, 'result given up');
  else {
    const why = { error, nextAttemptAt: isoTime(nextAt) };
    log.warn({ ...about, ...why }, 'result not delivered, will try again');
  }
}

function resultOf(error: string | null, nextAt: number | null): AttemptResult {
  if (error === null) return 'delivered';
  return nextAt === null ? 'given_up' : 'failed';
}

/** The workspace for the log, if there is more than one. The attempt is recorded: an error changes nothing. */
async function workspaceOf({ db }: Store, id: string): Promise<{ workspace?: string }> {
  const labels = await findWorkspaceLabels(db, [id]).catch(() => null);
  const workspace = labels?.get(id) ?? null;
  return workspace === null ? {} : { workspace };
}
