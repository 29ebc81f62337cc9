/** Every exit code of the command line, once: help, man page, documentation and tests go by this table. */

import { errorCodes } from '../../domain/errors.ts';
import type { RunStatus } from '../../domain/runs/run.ts';

/** What an awaited run makes of the exit code. */
export const runExitCodes: Readonly<Record<RunStatus, number>> = {
  success: 0,
  failed: 10,
  missed: 11,
  interrupted: 11,
  queued: 124,
  running: 124,
};

/** Ctrl-C, as a shell tells it: 128 and the number of SIGINT. */
export const interruptedExitCode = 130;

/** By code, what it means. Those of `domain/errors.ts` are among them. */
export const exitCodes: readonly (readonly [code: number, means: string])[] = [
  [0, 'done; with --wait, the run was a success; with verify, all receipts are valid'],
  [errorCodes.internal.exitCode, 'failed, or a receipt is not valid'],
  [errorCodes.usage.exitCode, 'the command line or the input was refused (HTTP 400)'],
  [errorCodes.not_found.exitCode, 'nothing has this id or name (404)'],
  [errorCodes.unauthenticated.exitCode, 'the key or the plan does not permit it (401, 403)'],
  [errorCodes.conflict.exitCode, 'a run is executing, or the state forbids it (409)'],
  [errorCodes.rate_limited.exitCode, 'a limit: payment, size or rate (402, 413, 429)'],
  [errorCodes.unreachable.exitCode, 'the server is out of reach'],
  [runExitCodes.failed, 'the awaited run failed'],
  [runExitCodes.missed, 'the awaited run was missed or interrupted'],
  [runExitCodes.running, 'waiting took too long; the run goes on'],
  [interruptedExitCode, 'interrupted by Ctrl-C; a run that was waited for goes on'],
];
