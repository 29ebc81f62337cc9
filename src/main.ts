/** Arguments in, exit code out: the only place that sets it. */

import { run } from './cli/program.ts';
import { plainText } from './cli/terminal/text.ts';
import { keepTickShape } from './ticks.ts';

keepTickShape();

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

// No top-level await: the bundle of the single executable cannot have one.
async function main(): Promise<void> {
  process.exitCode = await run(process.argv);
}
void main();
