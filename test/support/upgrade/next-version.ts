/**
 * Builds the next version of jobd, as an executable: these sources with another version and one more migration. A plan says what
 * that migration does.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

export const nextVersion = '99.0.0';

/** Good: adds a column and rewrites each run. Broken: the same, and then fails. */
const migration = `
import { sql, type Kysely } from 'kysely';
export const statements = ['alter table runs add column next_version_note text'];
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  await sql.raw("update runs set next_version_note = 'upgraded ' || id").execute(db);
  if (process.env['JOBD_TEST_MIGRATION'] === 'broken') await sql.raw('select planted_defect').execute(db);
  if (process.env['JOBD_TEST_MIGRATION'] === 'large') {
    await sql.raw("update runs set next_version_note = hex(randomblob(40000000))").execute(db);
  }
}
`;

/** Builds it into a directory, in which everything is replaced. Returns the path of the executable. */
export function buildNextVersion(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const name of [
    'src',
    'packaging',
    'build.mjs',
    'install.sh',
    'package.json',
    'package-lock.json',
    'LICENSE',
  ]) {
    cpSync(join(root, name), join(directory, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const edit = (path: string, change: (text: string) => string): void => {
    const file = join(directory, path);
    const text = readFileSync(file, 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`nothing to change in ${path}`);
    writeFileSync(file, changed);
  };
  edit('package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${nextVersion}"`));
  writeFileSync(join(directory, 'src/store/database/migrations/9999_next.ts'), migration);
  edit('src/store/database/migrate.ts', (text) =>
    text
      .replace(
        "import type { Db } from './schema.ts';",
        "$&\nimport * as next from './migrations/9999_next.ts';",
      )
      .replace(/^(const migrations: .*)\];$/m, '$1, next];'),
  );
  execFileSync(process.execPath, ['build.mjs', '--package'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const executable = join(directory, 'jobd');
  renameSync(join(directory, 'dist', 'jobd'), executable);
  return executable;
}

if (import.meta.main) {
  const [directory = join(root, 'dist', 'next')] = process.argv.slice(2);
  process.stdout.write(`${buildNextVersion(directory)}\n`);
}
