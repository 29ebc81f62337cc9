/** Arguments in, exit code out: the only place that sets it. */

import { run } from './cli/program.ts';

// A reader that closes the pipe (`jobd … | head`) has had enough; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

// No top-level await: the bundle of the single executable cannot have one.
async function main(): Promise<void> {
  process.exitCode = await run(process.argv);
}
void main();
