/**
 * Heartbeat: a dead-man's switch for jobd itself. While the scheduler is healthy, it calls a URL of the operator each
 * minute. The service behind that URL raises an alarm when the calls stop.
 */

import type { Clock } from '../../domain/clock.ts';
import { errorOfResult } from '../../domain/runs/outcome.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Log } from '../../base/log.ts';
import { startLoop, type Loop } from '../loop.ts';

export interface HeartbeatParts {
  url: string;
  /** Its target rules are those of the operator: the URL may lead anywhere. */
  egress: Egress;
  clock: Clock;
  log: Log;
  /** Whether the scheduler can do its work. */
  readonly isHealthy: () => boolean;
}

const everyMs = 60_000;
const timeoutMs = 10_000;
/** While the scheduler is not healthy, it is checked again after this. */
const checkAgainMs = 1_000;

/** Starts the calls: one at once, then one each minute. */
export function startHeartbeat({ url, egress, clock, log, isHealthy }: HeartbeatParts): Loop {
  let dueAt = clock.monotonicMs();
  let isFailing = false;

  async function step(): Promise<number> {
    const now = clock.monotonicMs();
    if (now < dueAt) return dueAt - now;
    if (!isHealthy()) return checkAgainMs;
    dueAt = now + everyMs;
    const call = { url, method: 'GET', headers: {}, body: null, timeoutMs };
    const result = await egress.call(call);
    const error = 'trouble' in result ? result.trouble : errorOfResult(result);
    if (error !== null) log.warn({ error }, 'the heartbeat did not arrive');
    else if (isFailing) log.info('the heartbeat arrives again');
    isFailing = error !== null;
    return everyMs;
  }

  return startLoop('heartbeat', step, { log, clock });
}
