/** Logins to a server that asks for passwords. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';
import { runCommand } from '../../support/running/command.ts';

const skip = noPostgres() ?? false;
const password = 'r:i@g/h t%';
const server = skip ? null : await startPostgres({}, [], password);
after(async () => await server?.[Symbol.asyncDispose]());

const url = server?.url ?? '';
const wrong = url.replace(/:[^:@]*@/, ':wrong@');

/** A command that opens the database. It finds no store, so it ends with an error once it is logged in. */
async function keyList(database: string, env: Record<string, string> = {}) {
  const ran = await runCommand(['key', 'list'], {
    PGPASSFILE: '/nowhere',
    JOBD_DATABASE_URL: database,
    JOBD_SECRET_KEY: '7a'.repeat(32),
    ...env,
  });
  return ran.stderr;
}

const loggedIn = /^jobd: there is nothing of jobd in this database/;
/** Its URL without it. */
const without = url.replace(/:[^:@]*@/, '@');
const refused = new RegExp(
  `^jobd: the database ${without} cannot be used: the server refuses the password of this role: set the right one where jobd has it from \\(JOBD_DATABASE_URL, PGPASSWORD or ~/\\.pgpass\\), and start it again \\(28P01\\)$`,
  'm',
);

test('the password is that of the URL', { skip }, async () => {
  assert.match(await keyList(url), loggedIn);
  assert.match(await keyList(wrong), refused);
  assert.match(
    await keyList(wrong, { PGPASSWORD: password }),
    refused,
    'before that of PGPASSWORD',
  );
});

test(
  'a URL without one leaves it to PGPASSWORD, then to the password file',
  { skip },
  async (t) => {
    const file = join(temporaryDirectory(t), 'pgpass');
    const words = password.replace(':', '\\:');
    writeFileSync(file, `127.0.0.1:*:postgres:postgres:${words}\n`, { mode: 0o600 });
    assert.match(await keyList(without, { PGPASSWORD: password }), loggedIn);
    assert.match(
      await keyList(without, { PGPASSFILE: file }),
      loggedIn,
      'and nothing else is said',
    );
    assert.match(
      await keyList(without),
      /the server wants a password: put it into PGPASSWORD or ~\/\.pgpass, or into JOBD_DATABASE_URL if its URL is from there$/m,
    );
  },
);
