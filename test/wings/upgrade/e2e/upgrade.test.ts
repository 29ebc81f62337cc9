/**
 * `jobd upgrade` with the packaged executable under load: to a good next version, and to ones with planted defects, after which the
 * previous version runs with all that there was. JOBD_UPGRADE_ROUNDS=10 repeats each defect ten times.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, jobd, notPackaged } from '../../../support/running/executable.ts';
import { ownPort } from '../../../support/own-port.ts';
import { addSystemd, offerFile } from '../../../support/running/service.ts';
import { makeThrowAwayRoot, noThrowAwayRoot } from '../../../support/running/throw-away-root.ts';
import { buildNextVersion, nextVersion } from '../../../support/upgrade/next-version.ts';
import { until } from '../../../support/until.ts';
import { installMachine, type Machine } from './machine.ts';

const rounds = Number(process.env['JOBD_UPGRADE_ROUNDS'] ?? 1);

let next = '';
const digest = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

/** The next version, but for what a shell script does before. */
const nextAfter = (script: string): string => `#!/bin/sh\n${script}\nexec ${next} "$@"\n`;
const nextIfServing = (script: string): string =>
  nextAfter(`if [ "$1" = serve ]; then ${script}; fi`);

/** Waits until jobs are called, and returns the ids of all runs. */
async function underLoad({ witness, runIds }: Machine): Promise<string[]> {
  const { length } = witness.arrivals;
  await until('calls', () => witness.arrivals.length > length + 3);
  return await runIds();
}

/** What only shows when the new version serves. */
interface Defect {
  name: string;
  program: () => string;
  /** Whether it shows after the tables were changed, so that the database goes back too. */
  changesTables: boolean;
  diskMb?: number;
}

const defects: Defect[] = [
  {
    name: 'does not start',
    program: () => nextIfServing('echo planted defect >&2; exit 1'),
    changesTables: false,
  },
  {
    name: 'starts, calls jobs, and is never ready',
    // The last --port wins: it answers where nobody asks.
    program: () => nextIfServing(`exec ${next} "$@" --port 0`),
    changesTables: true,
  },
  {
    name: 'fails in the middle of changing the tables',
    program: () => nextIfServing('export JOBD_TEST_MIGRATION=broken'),
    changesTables: false,
  },
  {
    name: 'fills the disk in the middle of changing the tables',
    program: () => nextIfServing('export JOBD_TEST_MIGRATION=large'),
    changesTables: false,
    diskMb: 120,
  },
];

// They mostly wait for versions that do not come up.
describe('jobd upgrade', { skip: notPackaged || noThrowAwayRoot, concurrency: 3 }, () => {
  let version = '';
  const directory = mkdtempSync(join(tmpdir(), 'jobd-next-'));
  before(async () => {
    next = buildNextVersion(directory);
    version = (await jobd(['--version'])).stdout.trim();
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  for (const { name, program, changesTables, diskMb } of defects) {
    for (let round = 1; round <= rounds; round += 1) {
      test(`a new version that ${name} is taken back (round ${round})`, async (t) => {
        const machine = await installMachine(t, diskMb);
        const runsBefore = await underLoad(machine);
        const { exitCode, stderr } = await machine.upgrade(
          machine.offer(program()),
          '--wait',
          '20',
        );
        assert.equal(exitCode, 1, stderr);
        assert.match(stderr, new RegExp(`jobd ${nextVersion} did not come up`));
        const said = `${stderr}\n${machine.log()}`;
        assert.match(stderr, new RegExp(`; jobd ${version} runs again`), said);
        assert.equal(stderr.includes('the database is that of before the upgrade'), changesTables);
        assert.equal(digest(machine.jobd), digest(executable));
        assert.ok(await machine.isReady());
        await underLoad(machine);
        const { books, wrong } = await machine.settle();
        assert.deepEqual(wrong, [], stderr);
        const ids = new Set(books.runs.map(({ id }) => id));
        assert.deepEqual(
          runsBefore.filter((id) => !ids.has(id)),
          [],
          'runs were lost',
        );
      });
    }
  }

  const refused: [string, () => string, RegExp][] = [
    ['cannot run here', () => 'no program', /does not run here: .*nothing was changed/s],
    [
      'cannot change a copy of the tables',
      () => nextAfter('export JOBD_TEST_MIGRATION=broken'),
      /does not work with a copy of the data: .*planted_defect.*nothing was changed/s,
    ],
  ];
  for (const [name, program, words] of refused) {
    test(`a new version that ${name} is refused while jobd continues`, async (t) => {
      const machine = await installMachine(t);
      const pid = machine.pid();
      const { exitCode, stderr } = await machine.upgrade(machine.offer(program()));
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, words);
      assert.equal(machine.pid(), pid);
      assert.equal(digest(machine.jobd), digest(executable));
      assert.ok(!machine.dataFiles().includes('self-test'), 'the copy was left');
      assert.deepEqual((await machine.settle()).wrong, []);
    });
  }

  test('a new executable that is not what its checksum says never runs', async (t) => {
    const machine = await installMachine(t);
    const from = machine.offer(nextAfter(`touch ${directory}/it-ran`));
    const { exitCode, stderr } = await machine.upgrade(from, '--sha256', 'ab'.repeat(32));
    assert.equal(exitCode, 1);
    assert.match(stderr, /does not match its checksum: it is damaged or not genuine/);
    assert.throws(() => readFileSync(`${directory}/it-ran`), /ENOENT/);
  });

  test('a good new version takes over under load, and every due time has its run', async (t) => {
    const machine = await installMachine(t);
    const runsBefore = await underLoad(machine);
    const { exitCode, stdout, stderr } = await machine.upgrade(next, '--sha256', digest(next));
    assert.equal(exitCode, 0, stderr);
    assert.equal(stdout, `upgraded from jobd ${version} to ${nextVersion}, which is ready\n`);
    assert.match(stderr, /its tables were changed; the database of before is \S+\/jobd-before-99/);
    assert.equal(digest(machine.jobd), digest(next));
    assert.equal(digest(`${machine.jobd}.previous`), digest(executable));
    const refusal = await jobd(['self-test', '--data', machine.dataDir]);
    assert.match(
      refusal.stderr,
      /the database has schema 2, this jobd knows up to 1: it was written by a newer/,
    );
    await underLoad(machine);
    const { books, wrong } = await machine.settle();
    assert.deepEqual(wrong, []);
    const ids = new Set(books.runs.map(({ id }) => id));
    assert.ok(runsBefore.every((id) => ids.has(id)));
    const skipped = books.runs.filter(({ status }) => status === 'missed');
    assert.deepEqual(skipped, [], 'it was away for less than a minute');
  });

  test('root upgrades the service, and what is not ready is taken back with its database', async (t) => {
    const root = await makeThrowAwayRoot(t);
    const port = await ownPort();
    addSystemd(root);
    root.copy(join(import.meta.dirname, '..', '..', '..', '..', 'install.sh'), '/install.sh');
    root.write('/etc/jobd/jobd.env', `JOBD_PORT=${port}\n`);
    const first = ['sh', '/install.sh', '--from', offerFile(root, readFileSync(executable))];
    assert.equal((await root.run(first)).exitCode, 0);
    const upgradeTo = async (program: string | Uint8Array) =>
      await root.run(['jobd', 'upgrade', '--from', offerFile(root, program), '--wait', '30']);
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    const owners = async () =>
      (await root.run(['stat', '-c', '%U', '/var/lib/jobd/jobd.db'])).stdout;

    root.write('/opt/next', readFileSync(next), 0o755);
    const defect = '#!/bin/sh\n[ "$1" != serve ] || set -- "$@" --port 0\nexec /opt/next "$@"\n';
    const back = await upgradeTo(defect);
    assert.equal(back.exitCode, 1);
    assert.match(back.stderr, new RegExp(`; jobd ${version} runs again`));
    assert.match(back.stderr, /the database is that of before the upgrade/);
    assert.equal(await ready(), 200);
    assert.equal(await owners(), 'jobd\n');

    const good = await upgradeTo(readFileSync(next));
    assert.equal(good.exitCode, 0, good.stderr);
    assert.match(good.stdout, new RegExp(`upgraded from jobd ${version} to ${nextVersion}`));
    assert.equal(await ready(), 200);
    assert.equal(await owners(), 'jobd\n');
  });
});
