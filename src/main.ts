/** Arguments in, exit code out: the only place that sets it. */

import { sayError } from './cli/terminal/output.ts';
import { nameProcess } from './base/process-name.ts';
import { environmentVariable } from './settings/config.ts';
import { useZoneSource } from './domain/schedule/zone-data.ts';
import { keepSignals } from './signals.ts';
import { keepTickShape } from './base/ticks.ts';
import { zoneSourceAt } from './base/zone-files.ts';

keepSignals();
nameProcess();
keepTickShape();
// As for the C library.
useZoneSource(zoneSourceAt(environmentVariable('TZDIR') || '/usr/share/zoneinfo'));

// A reader that closes the pipe (`jobd … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  sayError(`jobd: cannot write to stdout: ${error.message}`);
  process.exit(1);
});

// An uncaught error ends the process. Node itself would also print the source, a line of many thousand characters.
process.on('uncaughtException', (error) => {
  sayError(`jobd: ${error.stack ?? error.message}`);
  process.exit(1);
});

let isOver = false;

// Waiting for what never comes leaves nothing to do, and Node ends then, as if all had gone well.
process.once('beforeExit', () => {
  if (isOver) return;
  sayError('jobd: the command ended before it was done, which is a bug');
  process.exitCode = 1;
});

// No top-level await: the bundle of the single executable cannot have one.
async function main(): Promise<void> {
  // Not before signals are kept: it loads most of what a command needs.
  const { run } = await import('./serve/program.ts');
  process.exitCode = await run(process.argv);
  isOver = true;
}
void main();
