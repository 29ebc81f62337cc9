/** Which requests of keys are admitted, and how many more may follow (docs/behavior.md#limit-1). */

import { keyRule } from '../../domain/accounts/key.ts';
import { createRateLimiter } from '../../domain/accounts/rate-limiter.ts';
import type { AccessApp, Admissions } from '../app.ts';
import { createSharedAdmissions } from './shared-admissions.ts';

/** Keys that one process remembers. */
const subjects = 10_000;

/** Makes them: counted where all processes count that use the store. */
export function createAdmissions(
  parts: Pick<AccessApp, 'store' | 'clock' | 'authenticate'>,
): Admissions {
  const { admissions } = parts.store;
  const here = countedHere(parts);
  return admissions === null ? here : createSharedAdmissions(admissions, here, parts.clock);
}

/** In memory, where they start empty: this process alone uses the store, or none can write to it now. */
function countedHere({
  clock,
  authenticate,
}: Pick<AccessApp, 'clock' | 'authenticate'>): Admissions {
  const limiter = createRateLimiter({ ...keyRule, subjects });
  return {
    async ask(secret) {
      const asker = await authenticate.byKey(secret);
      return asker && { asker, left: limiter.ask(asker.actor.id, clock.monotonicMs()) };
    },
    count: async (keyId, requests) => limiter.ask(keyId, clock.monotonicMs(), requests),
  };
}
