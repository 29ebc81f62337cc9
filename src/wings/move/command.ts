/** `jobd migrate-store`: from a file to a database on a server, or back. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Moved, Progress } from './move-store.ts';
import type { Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { withoutPassword } from '../../settings/setting.ts';
import type { Context } from '../../cli/context.ts';
import { printJson, printRows, type Output } from '../../cli/terminal/output.ts';
import { startSpinner } from '../../cli/terminal/waiting.ts';
import { enterDataDir } from '../../cli/operator/local.ts';

/** Adds the command. */
export function addMigrateStoreCommand(program: Command, { output }: Context): void {
  program
    .command('migrate-store')
    .description('move the database from a file to PostgreSQL, or back')
    .option('--from <place>', 'sqlite:DIR or postgres://…, with no jobd that serves it')
    .option('--to <place>', 'the other one: sqlite:DIR or postgres://…, with nothing in it')
    .option('--reopen <place>', 'let jobd serve a database again that was moved')
    .addHelpText(
      'after',
      `
Examples:
  jobd migrate-store --from sqlite:/var/lib/jobd --to postgres://jobd@db/jobd
  jobd migrate-store --from postgres://jobd@db/jobd --to sqlite:/srv/jobd
  jobd migrate-store --reopen sqlite:/var/lib/jobd

Stop jobd before. The command copies every table, reads both sides again and
compares them, and checks every receipt. If it is interrupted, run it again: it
continues. The old database stays as it is, but jobd does not serve it any more.
Passwords come from PGPASSWORD or ~/.pgpass.`,
    )
    .action(async (flags: Flags) => {
      const [from, to] = [placeIn(flags, 'from'), placeIn(flags, 'to')];
      const again = placeIn(flags, 'reopen');
      if (again !== null && from === null && to === null) return await reopen(again, output);
      if (from === null || to === null || again !== null) {
        throw new JobdError('usage', 'say both --from and --to, or --reopen alone');
      }
      if (isServer(from) === isServer(to)) {
        throw new JobdError(
          'usage',
          'one of --from and --to is sqlite:DIR, the other postgres://…',
        );
      }
      const moved = await move(from, to, output);
      if (flags['json']) return printJson(output, { ...moved, to: nameOf(to) });
      report(output, moved, { from, to });
    });
}

const isServer = (place: string): boolean => /^postgres(ql)?:\/\//.test(place);
/** How a place is called in messages. */
const nameOf = (place: string): string => (isServer(place) ? withoutPassword(place) : place);

/** The directory or URL of an option; null if it was not given. Throws `usage`. */
function placeIn(flags: Flags, name: string): string | null {
  const value = flags[name];
  if (typeof value !== 'string') return null;
  if (isServer(value)) {
    if (withoutPassword(value) === value) return value;
    const sentence = `everybody on this machine can read a password in --${name}: put it into PGPASSWORD or ~/.pgpass`;
    throw new JobdError('usage', sentence);
  }
  const [, directory = ''] = /^sqlite:(?:\/\/)?(.+)$/.exec(value) ?? [];
  if (directory !== '') return resolve(directory);
  throw new JobdError('usage', `--${name} takes sqlite:DIR or postgres://…`);
}

async function move(from: string, to: string, output: Output): Promise<Moved> {
  const [source, target] = [enter(from, output), enter(to, output)];
  const { prepareDatabase, lockOffline } = await import('../../serve/local-store.ts');
  const { moveStore } = await import('./move-store.ts');
  const { systemClock } = await import('../../domain/clock.ts');
  const directory = isServer(source) ? target : source;
  prepareDatabase(directory, null);
  using parts = new DisposableStack();
  parts.use(lockOffline(directory));
  const progress = new ShownProgress();
  parts.use(startSpinner(() => progress.words));
  return await moveStore(
    { place: source, name: nameOf(from) },
    { place: target, name: nameOf(to) },
    { clock: systemClock, onProgress: (now) => progress.show(now) },
  );
}

/** Root acts as the owner of a directory from now on. */
function enter(place: string, output: Output): string {
  if (isServer(place)) return place;
  return enterDataDir({ path: place, namedBy: '--data', service: null }, output).path;
}

/** What is happening now, for the line that a terminal shows. */
class ShownProgress {
  words = 'looking at both databases';

  show({ step, table, rows, total }: Progress): void {
    const figures = [rows, total].map((count) => count.toLocaleString('en'));
    const of = step === 'compare' ? figures[0] : figures.join(' of ');
    const verb = { copy: 'copying', compare: 'comparing', receipts: 'checking' }[step];
    this.words = `${verb} ${table}: ${of}`;
  }
}

function report(output: Output, moved: Moved, { from, to }: { from: string; to: string }): void {
  const { tables, sha256, receipts, masterKeys } = moved;
  printRows(output, tables, {
    table: ({ name }) => name,
    rows: ({ rows }) => rows.toLocaleString('en'),
  });
  output.say(`both sides are equal, SHA-256 ${sha256}`);
  if (receipts > 0)
    output.say(`${receipts.toLocaleString('en')} receipts are valid, in whole chains`);
  output.say(`${nameOf(from)} is not served any more; delete it once you are sure`);
  const key = masterKeys.length === 0 ? '' : `, with the master key ${masterKeys.join(' and ')}`;
  if (isServer(to)) {
    output.say(`start jobd with JOBD_DATABASE_URL=${nameOf(to)}${key}`);
    const keyFile = join(from, 'secret-key');
    if (key !== '' && existsSync(keyFile)) {
      output.say(
        `  copy ${keyFile} to a safe place before you delete anything: JOBD_SECRET_KEY_FILE names it`,
      );
    } else if (key !== '')
      output.say('  give it the key that it had: JOBD_SECRET_KEY or JOBD_SECRET_KEY_FILE');
  } else {
    output.say(`start jobd with --data ${to}${key}`);
    if (key !== '')
      output.say(
        `  write it into ${to}/secret-key, or keep JOBD_SECRET_KEY or JOBD_SECRET_KEY_FILE`,
      );
  }
}

async function reopen(place: string, output: Output): Promise<void> {
  const entered = enter(place, output);
  const { prepareDatabase } = await import('../../serve/local-store.ts');
  const { reopenStore } = await import('./move-store.ts');
  if (!isServer(entered)) prepareDatabase(entered, null);
  const name = nameOf(place);
  output.say(
    (await reopenStore({ place: entered, name }))
      ? `jobd may serve ${name} again; never serve both, or jobs are called twice`
      : `${name} was not moved: nothing to do`,
  );
}
