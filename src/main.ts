/** Arguments in, exit code out: the only place that sets it. */

import { run } from './serve/program.ts';
import { plainText } from './cli/terminal/text.ts';
import { zoneDirectory } from './settings/config.ts';
import { useZoneSource } from './domain/schedule/zone-data.ts';
import { keepSignals } from './signals.ts';
import { keepTickShape } from './base/ticks.ts';
import { zoneSourceAt } from './base/zone-files.ts';

keepSignals();
keepTickShape();
useZoneSource(zoneSourceAt(zoneDirectory()));

// A reader that closes the pipe (`jobd … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`jobd: cannot write to stdout: ${error.message}\n`);
  process.exit(1);
});

// An uncaught error ends the process. Node itself would also print the source, a line of many thousand characters.
process.on('uncaughtException', (error) => {
  process.stderr.write(`jobd: ${plainText(error.stack ?? error.message)}\n`);
  process.exit(1);
});

let isOver = false;

// Waiting for what never comes leaves nothing to do, and Node ends then, as if all had gone well.
process.once('beforeExit', () => {
  if (isOver) return;
  process.stderr.write('jobd: the command ended before it was done, which is a bug\n');
  process.exitCode = 1;
});

// No top-level await: the bundle of the single executable cannot have one.
async function main(): Promise<void> {
  process.exitCode = await run(process.argv);
  isOver = true;
}
void main();
