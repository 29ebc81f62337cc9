/**
 * What the log says of a database that cannot be used. All who ask it then fail for the same reason: the first one that notices
 * logs it, and the last one that works again says so, once the database has answered: a step may ask it nothing. A reason that
 * was not logged yet is news.
 */

import { JobdError } from '../domain/errors.ts';
import type { Log } from './log.ts';

export interface Outage {
  /** A loop has failed. Returns false if that was not for the database: it has to be logged. */
  fails(loop: Failing, error: unknown): boolean;
  /** It works, or failed in another way. While no database has answered since the last failure, that says nothing. */
  isOver(loop: Failing): void;
  /** It has ended, working or not. */
  leaves(loop: Failing): void;
  /** A request was refused. Returns false if that was not for the database: it has to be logged. */
  refuses(request: object, error: unknown): boolean;
}

/** Who fails; each is one object. */
interface Failing {
  readonly name: string;
}

/** The most reasons that are logged of one outage. */
const mostReasons = 10;
/** A loop that asks seldom may notice long after a request did: of requests there is a line at most once in this time. */
const requestsEveryMs = 10_000;

const outages = new WeakMap<Log, Outage>();

let answers = 0;

/** A database has answered. */
export function noteAnswer(): void {
  answers += 1;
}

/** The outage that a log tells of; everybody who writes into it shares it. */
export function outageIn(log: Log): Outage {
  const outage = outages.get(log) ?? createOutage(log);
  outages.set(log, outage);
  return outage;
}

function createOutage(log: Log): Outage {
  const failing = new Set<Failing>();
  const reasons = new Set<string>();
  let beganMs = 0;
  let answersBefore = 0;
  let requestLoggedMs = -Infinity;

  return {
    fails(loop, error) {
      if (!isOfStore(error)) {
        this.isOver(loop);
        return false;
      }
      if (failing.size === 0) {
        reasons.clear();
        beganMs = performance.now();
      }
      failing.add(loop);
      answersBefore = answers;
      const reason = error.message;
      if (reasons.has(reason) || reasons.size >= mostReasons) return true;
      reasons.add(reason);
      log.error({ loop: loop.name, error: reason }, 'the database cannot be used, will try again');
      return true;
    },
    isOver(loop) {
      if (answers === answersBefore || !failing.delete(loop) || failing.size > 0) return;
      const outageMs = Math.round(performance.now() - beganMs);
      log.info({ outageMs }, 'the database can be used again');
    },
    leaves: (loop) => void failing.delete(loop),
    refuses(request, error) {
      if (!isOfStore(error)) return false;
      const now = performance.now();
      if (failing.size > 0 || now - requestLoggedMs < requestsEveryMs) return true;
      requestLoggedMs = now;
      const about = { ...request, error: error.message };
      log.warn(about, 'a request was refused, since the database cannot be used');
      return true;
    },
  };
}

/** Whether an error says that the database cannot be used now. */
export function isOfStore(error: unknown): error is JobdError {
  return error instanceof JobdError && error.isOfStore;
}
