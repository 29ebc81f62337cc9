import { recordAttempts, type Attempted } from '../../../src/store/alerts/attempts.ts';
import type { Db } from '../../../src/store/database/store.ts';

/** Records one attempt. Returns whether to log it. */
export async function recordAttempt(db: Db, attempted: Attempted): Promise<boolean> {
  const [isLogged] = await recordAttempts(db, [attempted]);
  return isLogged === true;
}
