/** `jobd self-test`: whether this executable works with the data, tried with a copy of it. */

import type { Command } from 'commander';
import type { Contents } from './trial.ts';
import { serveConfig, type Flags } from '../settings/config.ts';
import { JobdError } from '../domain/errors.ts';
import { version } from '../version.ts';
import { exchange } from '../cli/client/exchange.ts';
import type { Context } from '../cli/context.ts';
import { printJson } from '../cli/terminal/output.ts';
import { counted } from '../domain/counted.ts';
import { enterPlace } from '../cli/operator/local.ts';
import { dataOption, databaseOption } from '../cli/operator/place-options.ts';

/** How long each answer may take. */
const answerMs = 30_000;

/** Adds the command. */
export function addSelfTestCommand(program: Command, { output }: Context): void {
  program
    .command('self-test')
    .description('try this jobd with a copy of the data; the daemon may run')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  sudo jobd self-test
  ./jobd-linux-x64 self-test --data /var/lib/jobd

It copies the database, brings the copy up to date, and starts the API with it
on a free port of this machine. It calls no targets, sends no alerts, changes
nothing else, and removes the copy. The exit code is 1 if something fails.`,
    )
    .action(async (flags: Flags) => {
      const { dataDir, database, keys } = await enterPlace(flags, output);
      if (database !== null) throw onServer();
      const { prepareDatabase } = await import('./local-store.ts');
      const { inspectTrial, makeTrial } = await import('./trial.ts');
      const [{ startDaemon }, { openLog }] = await Promise.all([
        import('./daemon.ts'),
        import('../base/log.ts'),
      ]);
      prepareDatabase(dataDir, keys.current);
      using trial = await makeTrial(dataDir);
      const config = { ...trialConfig(trial.dataDir), secretKeys: keys };
      await using daemon = await startDaemon(config, openLog('warn'), { isOnTrial: true });
      for (const path of ['/readyz', '/healthz', '/api/v1/openapi.json', '/']) {
        await requireAnswer(daemon.url, path);
      }
      const contents = await inspectTrial(trial);
      if (trial.contents !== null) requireAll(trial.contents, contents);
      if (flags['json']) return printJson(output, { version, contents });
      const { jobs, monitors, runs } = contents;
      const counts = [counted(jobs, 'job'), counted(monitors, 'monitor'), counted(runs, 'run')];
      output.data(`jobd ${version} works with a copy of the data: ${counts.join(', ')}`);
    });
}

/** The defaults, whatever the environment says: nothing is called and nobody else is listened to. */
function trialConfig(dataDir: string): ReturnType<typeof serveConfig> {
  return serveConfig({ data: dataDir, host: '127.0.0.1', port: '0' }, {});
}

async function requireAnswer(url: string, path: string): Promise<void> {
  const signal = AbortSignal.timeout(answerMs);
  const { status, text } = await exchange(url + path, {
    method: 'GET',
    headers: {},
    body: null,
    signal,
  });
  if (status === 200) return;
  throw new JobdError('unavailable', `${path} answers ${status}: ${text.slice(0, 500)}`);
}

/** What people made must still be there. */
function requireAll(before: Contents, after: Contents): void {
  for (const name of ['jobs', 'monitors', 'keys', 'runs'] as const) {
    if (after[name] >= before[name]) continue;
    const words = `of ${before[name]} ${name}, ${after[name]} are left in the copy after the upgrade`;
    throw new JobdError('unavailable', words);
  }
}

function onServer(): JobdError {
  return new JobdError('usage', 'the database is on a server, so jobd makes no copy to try', {
    notes: [
      'restore a dump into a second database (docs/postgres.md), and start this jobd with that',
    ],
  });
}
