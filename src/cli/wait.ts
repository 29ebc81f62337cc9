/** Waits for a run to end. */

import { setTimeout } from 'node:timers/promises';
import type { Run } from '../api/contract.ts';
import { isFinal } from '../domain/run.ts';
import type { RunStatus } from '../domain/run.ts';
import type { Client } from './client.ts';

/** What the awaited run makes of the exit code. */
const exitCodes: Record<RunStatus, number> = {
  success: 0,
  failed: 10,
  missed: 11,
  interrupted: 11,
  queued: 124,
  running: 124,
};

/** Between looks; well below what the rate limit of a key allows. */
const pollMs = 1_000;

/** Looks at the run until it has ended or the time is over; then it is as it was seen last. */
export async function waitForRun(
  client: Client,
  run: Run,
  timeoutMs: number,
): Promise<{ run: Run; exitCode: number }> {
  const deadline = performance.now() + timeoutMs;
  let seen = run;
  while (!isFinal(seen.status) && performance.now() < deadline) {
    await setTimeout(Math.min(pollMs, Math.max(deadline - performance.now(), 0)));
    seen = await client.getRun(run.jobId, run.id);
  }
  return { run: seen, exitCode: exitCodes[seen.status] };
}
