/**
 * Run alone, with a call as JSON in its last argument: makes it many times at once. When its parent says that all are
 * answered as far as they ever will be, it reports the memory that they hold, and their time passes.
 */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { parseAllowTargets } from '../../../src/domain/targets/target.ts';
import type { Phase } from '../../../src/egress/deadline.ts';
import { callsIn } from '../support.ts';
import { createEgress, type Call } from '../../../src/egress/egress.ts';
import { fakeTimers } from '../../support/fakes/timers.ts';

/** The call, how many times it is made, and where it will hang. */
export interface Orders {
  call: Call;
  times: number;
  phase: Phase;
}

/** The memory in bytes, and how many calls hung in their phase then. */
export interface Report {
  held: number;
  hanging: number;
}

const { call, times, phase } = JSON.parse(process.argv.at(-1) ?? '') as Orders;
const timers = fakeTimers();
await using egress = createEgress({
  allowTargets: parseAllowTargets(['127.0.0.1/32:*']),
  connectionsPerHost: times,
  userAgent: 'jobd/test',
  timers,
});
const calls = Array.from({ length: times }, () => egress.call(call));
await once(process, 'message');
// All that was written before the message is read in the next turn.
for (let round = 0; round < 5; round++) await setImmediate();
globalThis.gc?.();
const { heapUsed, external } = process.memoryUsage();
const hanging = callsIn(timers, phase);
process.send?.({ held: heapUsed + external, hanging } satisfies Report);
timers.pass(call.timeoutMs);
await Promise.all(calls);
process.disconnect();
