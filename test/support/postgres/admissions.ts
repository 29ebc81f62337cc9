/** The limits of keys where a server counts, by a clock of its own that no test sets. */

import type { Clock } from '../../../src/domain/clock.ts';
import { onServer } from './database.ts';

/** A test's clock is ahead once it was told to: shorter steps may be those of real time. */
const leastStepMs = 500;

/**
 * Makes the limits in this database follow a clock: what was admitted becomes as much older as the clock has passed beyond real
 * time since the last call.
 */
export function limitsFollow(clock: Clock, database: string): () => Promise<void> {
  const ahead = (): number => clock.monotonicMs() - performance.now();
  let followed = ahead();
  return async () => {
    const stepMs = ahead() - followed;
    if (stepMs < leastStepMs) return;
    followed += stepMs;
    const step = Math.round(stepMs * 1_000);
    await onServer(
      database,
      `update admissions set times = array(select at - ${step} from unnest(times) as at order by at)`,
    );
  };
}
