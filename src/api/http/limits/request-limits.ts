/**
 * The rate limits: one per key, one for the sessions of a key together, one per session of a link, one per address for
 * requests without any, and one per run for reports of progress, which need none. They are independent, so a valid key is never
 * limited by its address, and an open page does not use up what the scripts of its key may ask. Documents that are the same for
 * everybody do not count: they are answered from memory.
 */

import type { IncomingMessage } from 'node:http';
import type { App, Principal } from '../../../app/app.ts';
import { overLimit } from '../../../domain/errors.ts';
import type { Guess } from '../../../domain/guess.ts';
import { connectionOf } from './connection.ts';
import { createGuessLimit } from './guess-limit.ts';
import { keyRule } from '../../../domain/accounts/key.ts';
import { createRateLimiter } from '../../../domain/accounts/rate-limiter.ts';
import type { Left, LimiterRule } from '../../../domain/accounts/rate-limiter.ts';
import { quotaHeaders, spentHeaders } from './rate-headers.ts';

const sessionRule: LimiterRule = { limit: 300, windowMs: 60_000, subjects: 10_000 };
/** 10,000 addresses at their limit take about 31 MB. */
const addressRule: LimiterRule = { limit: 300, windowMs: 60_000, subjects: 10_000 };

/** Reports of progress of a run. One after the other they are 120 a minute at most (`progressEveryMs` in reports.ts). */
const progressRule: LimiterRule = { limit: 300, windowMs: 60_000, subjects: 10_000 };

/** Different values that a workspace may compare with hidden ones: more than a repository changes in an hour. */
const guessRule = { most: 2_000, windowMs: 3_600_000, workspaces: 500 };

/** What the limits know of a principal. */
export interface Asker extends Pick<Principal, 'keyId'> {
  actor: Pick<Principal['actor'], 'type' | 'id'>;
}

export interface WithHeaders {
  headers(values: Readonly<Record<string, string>>): unknown;
}

/** A request counts once, when it turns out to have no valid key. If that exceeds the limit, its connection is closed. */
export interface RequestLimits {
  /** Counts requests of this key or session until one is refused. Sessions of a key count together, or more would lift its limit. */
  count(asker: Asker, requests?: number): Promise<Left>;
  /** Exempts a request from its address's limit: it has a valid key or session, or pings a monitor. */
  countElsewhere(request: IncomingMessage): void;
  /** Counts a request for its address, unless it is counted or exempt already. Throws `rate_limited`. */
  countAddress(request: IncomingMessage): void;
  /** Counts a report of progress of this run. Throws `rate_limited`, with headers in the answer: it then counts for its address too. */
  countProgress(runId: string, request: IncomingMessage, answer: WithHeaders): void;
  /** Counts values that clients of a workspace compare with hidden ones. Throws `rate_limited`, also for equal ones. */
  countGuesses(workspaceId: string, guesses: readonly Guess[]): void;
  /** Counts one more request of this group of addresses. Returns whether it is within the limit. */
  admits(addressGroup: string): boolean;
}

/** The refusal of a request for its address. The wait is the one promised to users, not the rest of the window. */
export const tooManyOfAddress = overLimit(
  `without a valid key an address may ask ${addressRule.limit} times a minute`,
  addressRule.windowMs,
);

/** The rate limit headers of that refusal. */
export const spentOfAddress = spentHeaders('address', addressRule);

const tooManyGuesses = overLimit(
  `a workspace may compare ${guessRule.most} different values with hidden ones an hour`,
  guessRule.windowMs,
);
const tooMuchProgress = overLimit(
  `a run may report progress ${progressRule.limit} times a minute`,
  progressRule.windowMs,
);
const spentProgress = spentHeaders('run', progressRule);

/** Writes what is left to an asker into the headers of its answer. Throws `rate_limited` if the request is not admitted. */
export function tellLeft({ actor: { type }, keyId }: Asker, left: Left, answer: WithHeaders): void {
  const rule = type === 'session' ? sessionRule : keyRule;
  answer.headers(quotaHeaders(type, rule, left));
  if (left.isAdmitted) return;
  const who = keyId === null ? `a ${type}` : 'the sessions of a key together';
  throw overLimit(`${who} may ask ${rule.limit} times a minute`, rule.windowMs, left.moreInMs);
}

/** Creates the limits of one server. Those of sessions and addresses are kept in memory and start empty. */
export function createRequestLimits({
  clock,
  admissions,
}: Pick<App, 'clock' | 'admissions'>): RequestLimits {
  const sessions = createRateLimiter(sessionRule);
  const addresses = createRateLimiter(addressRule);
  const progress = createRateLimiter(progressRule);
  const guesses = createGuessLimit(guessRule);
  const admits = (group: string): boolean => addresses.ask(group, clock.monotonicMs()).isAdmitted;
  function countAddress({ socket }: IncomingMessage): void {
    const connection = connectionOf(socket);
    const turn = connection?.turn;
    if (connection === undefined || turn === undefined || turn.isCounted) return;
    turn.isCounted = true;
    if (admits(turn.client.group)) return;
    connection.stopReading();
    turn.response.setHeader('connection', 'close');
    for (const [name, value] of Object.entries(spentOfAddress)) {
      turn.response.setHeader(name, value);
    }
    throw tooManyOfAddress;
  }

  return {
    async count({ actor: { type, id }, keyId }, requests = 1) {
      if (type !== 'session') return await admissions.count(id, requests);
      return sessions.ask(keyId ?? id, clock.monotonicMs(), requests);
    },
    countElsewhere({ socket }) {
      const turn = connectionOf(socket)?.turn;
      if (turn !== undefined) turn.isCounted = true;
    },
    countAddress,
    countProgress(runId, request, answer) {
      if (progress.ask(runId, clock.monotonicMs()).isAdmitted) return;
      countAddress(request);
      answer.headers(spentProgress);
      throw tooMuchProgress;
    },
    countGuesses(workspaceId, given) {
      if (!guesses.admits(workspaceId, given, clock.monotonicMs())) throw tooManyGuesses;
    },
    admits,
  };
}

/** Counts a request, already counted as one, as one for each `perRequest` items. Throws `rate_limited`. */
export async function countItems(
  limits: RequestLimits,
  asker: Asker,
  { items, perRequest, answer }: { items: number; perRequest: number; answer: WithHeaders },
): Promise<void> {
  const more = Math.ceil(items / perRequest) - 1;
  if (more > 0) tellLeft(asker, await limits.count(asker, more), answer);
}
