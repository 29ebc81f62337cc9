/** Arguments in, exit code out: the only place that sets it. */

import { run } from './cli/program.ts';

// A reader that closes the pipe (`jobd … | head`) has had enough; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`jobd: what was asked for cannot be printed: ${error.message}\n`);
  process.exit(1);
});

// No top-level await: the bundle of the single executable cannot have one.
async function main(): Promise<void> {
  process.exitCode = await run(process.argv);
}
void main();
