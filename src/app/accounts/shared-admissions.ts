/**
 * The limit of keys where several processes use the store, which counts for all of them. The requests of one turn of the event
 * loop are one question, which also says of each key whether it is still valid. While a few questions are under way, more
 * requests gather for the next one: the busier jobd is, the fewer questions each request costs, and the other connections are
 * left to the rest of jobd.
 */

import { setImmediate } from 'node:timers';
import { keyPattern } from '../../domain/accounts/key.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Left } from '../../domain/accounts/rate-limiter.ts';
import type { Admissions as Shared, Counted } from '../../store/database/admissions.ts';
import type { Admission, Admissions } from '../app.ts';
import { identityOf } from './authenticate.ts';
import { sha256Of } from './secrets.ts';

/** How many questions may be under way. With one, a request that comes meanwhile would wait for two answers. */
const mostUnderWay = 2;

/** A request that waits for its answer. */
interface Waiting extends PromiseWithResolvers<Admission | undefined> {
  secret: string;
}

/** The requests of the same key, in the order in which they came. */
type ByHash = Map<string, Waiting[]>;

/** Makes them. While the store can only be read, requests are counted by `here`. */
export function createSharedAdmissions(shared: Shared, here: Admissions, clock: Clock): Admissions {
  let waiting: ByHash = new Map();
  let underWay = 0;
  let isPlanned = false;

  /** Lets the rest of this turn come first. */
  function plan(): void {
    if (isPlanned || waiting.size === 0 || underWay === mostUnderWay) return;
    isPlanned = true;
    setImmediate(() => void askAll());
  }

  function takeWaiting(): ByHash {
    const taken = waiting;
    waiting = new Map();
    return taken;
  }

  async function askAll(): Promise<void> {
    isPlanned = false;
    underWay += 1;
    const asking = takeWaiting();
    try {
      await answer({ shared, here }, asking, clock.now());
    } catch (error) {
      refuse(asking, error);
      // Those who waited for this question have waited long enough for a store that does not answer.
      refuse(takeWaiting(), error);
    } finally {
      underWay -= 1;
      plan();
    }
  }

  return {
    async ask(secret) {
      if (!keyPattern.test(secret)) return undefined;
      const sha256 = sha256Of(secret);
      const request: Waiting = { secret, ...Promise.withResolvers<Admission | undefined>() };
      const others = waiting.get(sha256);
      if (others === undefined) waiting.set(sha256, [request]);
      else others.push(request);
      plan();
      return await request.promise;
    },
    async count(keyId, requests) {
      const counted = await shared.count(keyId, requests);
      return counted === null ? await here.count(keyId, requests) : leftAfter(counted, requests);
    },
  };
}

async function answer(
  { shared, here }: { shared: Shared; here: Admissions },
  asking: ByHash,
  now: number,
): Promise<void> {
  const asked = Array.from(asking, ([sha256, { length }]) => ({ sha256, requests: length }));
  const keys = await shared.admit(asked, now);
  if (keys === null) return answerHere(here, asking);
  for (const key of keys) {
    asking.get(key.sha256)?.forEach(({ resolve }, index) => {
      resolve({ asker: identityOf(key), left: leftAfter(key, index + 1) });
    });
  }
  // Those of valid keys are resolved already.
  for (const requests of asking.values()) for (const { resolve } of requests) resolve(undefined);
}

function answerHere(here: Admissions, asking: ByHash): void {
  for (const requests of asking.values()) {
    for (const { secret, resolve } of requests) resolve(here.ask(secret));
  }
}

function refuse(asking: ByHash, error: unknown): void {
  for (const requests of asking.values()) for (const { reject } of requests) reject(error);
}

/** What is left after the first `requests` of those that were counted. */
function leftAfter({ admitted, remaining, moreInMs }: Counted, requests: number): Left {
  const later = Math.max(admitted - requests, 0);
  return { isAdmitted: requests <= admitted, remaining: remaining + later, moreInMs };
}
