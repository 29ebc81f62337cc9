/** The limits of keys where a server counts, by a clock of its own that no test sets. */

import type { TestContext } from 'node:test';
import { Pool } from 'pg';
import { systemClock, type Clock } from '../../../src/domain/clock.ts';

/** Makes the limits in this database follow a clock: what was admitted becomes as much older as was passed since the last call. */
export function limitsFollow(t: TestContext, clock: Clock, database: string): () => Promise<void> {
  // One connection for all: to make one costs more than a request.
  const pool = new Pool({ connectionString: database, max: 1 });
  t.after(() => pool.end());
  let followed = clock.monotonicMs();
  return async () => {
    const stepMs = clock.monotonicMs() - followed;
    // The server's clock moves with that of the machine.
    if (stepMs === 0 || clock === systemClock) return;
    followed += stepMs;
    const step = Math.round(stepMs * 1_000);
    await pool.query(
      `update jobd.admissions set times = array(select at - ${step} from unnest(times) as at order by at)`,
    );
  };
}
