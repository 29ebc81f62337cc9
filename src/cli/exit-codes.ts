/** Every exit code of the command line: help, the man page, docs and tests read this table. */

import { errorCodes } from '../domain/errors.ts';
import type { RunStatus } from '../domain/runs/run.ts';

/** The exit code of a command that waited for a run. */
export const runExitCodes: Readonly<Record<RunStatus, number>> = {
  success: 0,
  failed: 10,
  missed: 11,
  interrupted: 11,
  queued: 124,
  running: 124,
};

/** A question that was answered with no. */
export const declinedExitCode = 1;

/** Ctrl-C, as shells report it: 128 plus the number of SIGINT. */
export const interruptedExitCode = 130;

/** Each code with its meaning. Those of `domain/errors.ts` are among them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success; with --wait, the run succeeded; with verify, all is valid'],
  [
    errorCodes.internal.exitCode,
    'failure, a question was answered with no, or a receipt is not valid',
  ],
  [errorCodes.usage.exitCode, 'invalid command line or input (HTTP 400)'],
  [errorCodes.not_found.exitCode, 'no such id or name (404)'],
  [errorCodes.unauthenticated.exitCode, 'the key or the plan does not allow it (401, 403)'],
  [
    errorCodes.conflict.exitCode,
    'a run is executing, or the current state does not allow it (409)',
  ],
  [errorCodes.rate_limited.exitCode, 'a limit was reached: payment, size or rate (402, 413, 429)'],
  [errorCodes.unreachable.exitCode, 'the server is unreachable'],
  [runExitCodes.failed, 'the awaited run failed'],
  [runExitCodes.missed, 'the awaited run was missed or interrupted'],
  [runExitCodes.running, 'the wait timed out; the run or the test continues'],
  [interruptedExitCode, 'stopped by Ctrl-C; an awaited run continues'],
];
