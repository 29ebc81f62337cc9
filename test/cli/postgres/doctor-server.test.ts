/** `jobd doctor` where the database is on a server: each problem is made, and found. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Checked } from '../../../src/app/operator/doctor.ts';
import {
  connectTo,
  makeDatabase,
  makeEmptyDatabase,
  onServer,
} from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { runCommand } from '../../support/running/command.ts';
import { until } from '../../support/until.ts';

// Its roles are those of the whole server.
const { skip, newDatabase, started } = postgresOfFile({});
const masterKey = '7a'.repeat(32);

interface Found {
  exitCode: unknown;
  stdout: string;
  /** Result and detail by check. */
  findings: Record<string, string>;
  notes: Record<string, readonly string[]>;
}

async function doctor(url: string, env: Record<string, string> = {}): Promise<Found> {
  const all = { JOBD_DATABASE_URL: url, JOBD_SECRET_KEY: masterKey, ...env };
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--json'], all);
  assert.equal(stderr, '');
  const { findings: found } = JSON.parse(stdout) as { findings: Checked[] };
  const findings = found.map(({ check, result, detail }) => [check, `${result} ${detail}`]);
  const notes = found.map((finding) => [finding.check, finding.notes]);
  return {
    exitCode,
    stdout,
    findings: Object.fromEntries(findings) as Record<string, string>,
    notes: Object.fromEntries(notes) as Record<string, readonly string[]>,
  };
}

/** The URL of a database for another role. */
function as(role: string, url: string): string {
  return Object.assign(new URL(url), { username: role }).href;
}

test(
  'a database as jobd made it has no problem, and the doctor leaves nothing in it',
  { skip },
  async () => {
    const url = await newDatabase();
    const tables = () => onServer(url, `select relname, relnamespace from pg_class order by oid`);
    const before = await tables();
    const { exitCode, findings } = await doctor(url);
    // Nothing is wrong but that no jobd serves what the environment says is the place.
    const failed = Object.keys(findings).filter((check) => findings[check]?.startsWith('fail'));
    assert.deepEqual([exitCode, failed], [1, ['daemon']]);
    assert.equal(findings['access'], 'ok this role may read and change everything of jobd');
    assert.equal(findings['schema'], 'ok version 1, as jobd makes it');
    assert.equal(findings['write'], 'ok a row was written, and taken back');
    assert.deepEqual(await tables(), before);
  },
);

const hostile = `create function hostile() returns trigger language plpgsql as 'begin return null; end'`;
const changes: [statement: string, words: RegExp][] = [
  [
    `${hostile}; create trigger evil before update on keys for each row execute function hostile()`,
    /^fail jobd did not make the trigger evil: find out who changed the database/,
  ],
  ['create rule evil as on delete to keys do instead nothing', /the rule evil/],
  ['alter table jobs rename to jobs_of_old', /the table jobs is missing/],
  ['alter table jobs add column more text', /^fail jobd did not make the column jobs\.more: /],
  ['alter table jobs alter column name drop not null', /the column jobs\.name is not as/],
  ['drop index keys_by_workspace', /^fail the index keys_by_workspace is missing: /],
  ['alter table audit_entries set unlogged', /the table audit_entries is not as/],
  ['alter table keys enable row level security', /^fail the table keys is not as jobd makes it: /],
  ['alter table keys drop constraint keys_permission_check', /keys_permission_check is missing/],
];

test('what somebody changed in the schema is found', { skip }, async () => {
  const { url: base } = await started();
  for (const [statement, words] of changes) {
    const url = await makeDatabase(base);
    await onServer(url, statement);
    const { exitCode, findings } = await doctor(url);
    assert.match(findings['schema'] ?? '', words, statement);
    assert.equal(findings['write'], undefined, 'a trigger would act on it');
    assert.equal(exitCode, 1, statement);
  }
});

test('a database that may not be changed is found, and what to do about it', { skip }, async () => {
  const { url: base } = await started();
  const url = await makeDatabase(base);
  const name = new URL(url).pathname.slice(1);
  await onServer(base, `create role clerk login; create role reader login`);
  await onServer(url, `grant usage on schema jobd to reader, clerk`);
  await onServer(url, `grant select on all tables in schema jobd to reader`);
  for (const role of ['reader', 'clerk']) {
    const { exitCode, stdout, findings } = await doctor(as(role, url));
    assert.equal(exitCode, 1);
    assert.match(findings['access'] ?? '', new RegExp(`the role ${role} may not read and change`));
    assert.match(findings['access'] ?? '', /and \d+ more, which the role postgres owns$/);
    assert.match(stdout, new RegExp(`owner to ${role}'.*gexec`));
    assert.equal(findings['schema'], undefined);
  }
  const [remedy] = await onServer<{ statement: string }>(
    url,
    `select string_agg(format('alter table %I.%I owner to clerk', schemaname, tablename), '; ') as statement
     from pg_tables where schemaname = 'jobd'`,
  );
  await onServer(url, remedy?.statement ?? '');
  assert.match(
    (await doctor(as('clerk', url))).findings['access'] ?? '',
    /^ok /,
    'the remedy helps',
  );

  await onServer(base, `alter database ${name} set default_transaction_read_only = on`);
  const { exitCode, stdout, findings } = await doctor(url);
  assert.equal(exitCode, 1);
  assert.match(findings['access'] ?? '', /^fail .*default_transaction_read_only is on/);
  assert.match(stdout, new RegExp(`alter database ${name} reset default_transaction_read_only`));

  const empty = await makeEmptyDatabase(base);
  const refused = (await doctor(as('clerk', empty))).findings['access'];
  assert.equal(refused, 'fail the role clerk may not make tables here');
});

/** What the doctor says to do about other roles; null if there is nothing to do. */
async function remediesFor(url: string): Promise<readonly string[] | null> {
  const { findings, notes } = await doctor(url);
  const found = findings['other roles'] ?? '';
  if (found.startsWith('ok ')) return null;
  assert.match(found, /^warn every role of the server may connect/);
  return notes['other roles'] ?? null;
}

test(
  'a database that every role may connect to is a warning, with what helps',
  { skip },
  async () => {
    const { url: base } = await started();
    await onServer(base, 'create role "the Owner" login; create role "a ""Worker" login');
    const url = await makeEmptyDatabase(base, 'owner "the Owner"');
    const name = new URL(url).pathname.slice(1);
    await onServer(
      url,
      'create schema jobd authorization "a ""Worker"; create role cleaners; grant cleaners to "a ""Worker"',
    );
    const revoke = `revoke connect on database ${name} from public`;
    const grant = `grant connect on database ${name} to "a ""Worker"`;
    const owner = as('the Owner', url);
    const worker = as('a "Worker', url);
    assert.deepEqual(await remediesFor(worker), [grant, revoke]);
    // Also where privileges are listed.
    await onServer(base, `grant connect on database ${name} to cleaners`);
    assert.deepEqual(await remediesFor(worker), [revoke], 'it may as one of them');
    await onServer(base, `revoke connect on database ${name} from cleaners`);
    assert.deepEqual(await remediesFor(worker), [grant, revoke]);

    for (const statement of [grant, revoke]) await onServer(base, statement);
    assert.equal(await remediesFor(worker), null, 'the remedies help');
    await onServer(base, `grant connect on database ${name} to public`);
    await onServer(url, 'alter schema jobd owner to "the Owner"');
    assert.deepEqual(await remediesFor(owner), [revoke], 'the owner keeps it');
    await onServer(base, revoke);
    assert.equal(await remediesFor(owner), null);
  },
);

test('a session that holds a lock for long is found, whatever it locks', { skip }, async (t) => {
  const url = await newDatabase();
  assert.match((await doctor(url)).findings['locks'] ?? '', /^ok /);
  for (const statement of [
    'lock table jobs in share mode',
    'select from instance for update',
    'update instance set id = id',
  ]) {
    const other = await connectTo(url, { application_name: 'psql' });
    t.after(() => other.end());
    await other.query('begin');
    await other.query(statement);
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0] ?? assert.fail();
    const words = new RegExp(
      `^warn the session ${pid} of the role postgres \\(psql\\) holds a lock on the table (jobs|instance), in a transaction that began at 2`,
    );
    const found = await until('a warning', async () => {
      const { findings, notes } = await doctor(url);
      return words.test(findings['locks'] ?? '') && notes['locks'];
    });
    assert.match(found.join(), new RegExp(`select pg_terminate_backend\\(${pid}\\)$`));
    await onServer(url, `select pg_terminate_backend(${pid})`);
    await until('its end', async () => (await doctor(url)).findings['locks']?.startsWith('ok '));
  }
});

test('an empty database is no older version', { skip }, async () => {
  const { url } = await started();
  const { exitCode, findings } = await doctor(await makeEmptyDatabase(url));
  assert.equal(findings['access'], 'ok this role may read and change everything of jobd');
  assert.equal(findings['schema'], 'warn the database is empty: jobd serve makes the tables');
  assert.equal(exitCode, 0);
});
