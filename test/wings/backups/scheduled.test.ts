/** The backups that a daemon makes by itself: when, what it says of them, and what the doctor makes of that. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { checkBackups } from '../../../src/app/operator/checks.ts';
import { backupName } from '../../../src/domain/backups.ts';
import { runOwnCommand } from '../../../src/wings/backups/own-command.ts';
import { startScheduledBackups } from '../../../src/wings/backups/scheduled.ts';
import { startInstance } from '../../../src/store/accounts/instance.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { script } from '../../support/running/command.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { makeStoreWithKey } from '../../support/running/prepare.ts';
import { until } from '../../support/until.ts';

const instanceId = '5c0e1f7a';
const nothing: Line = { level: 0, msg: '' };
const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;
const begun = Date.parse('2026-03-02T10:00:00Z');

interface Line {
  level: number;
  msg: string;
  [field: string]: unknown;
}

/** Backups once a day, of which none is really made. */
function scheduled(t: TestContext) {
  const [dataDir, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  const clock = fakeClock(begun);
  const lines: Line[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const plan = { directory, everyMs: day, keep: '7d', recipients: [] };
  const asked: string[][] = [];
  const state = { failure: '' };
  const run = async (args: readonly string[], signal: AbortSignal): Promise<string> => {
    asked.push([...args]);
    signal.throwIfAborted();
    if (state.failure !== '') throw new Error(state.failure);
    const path = put(clock.now());
    return JSON.stringify({ path, bytes: 16, removed: [], unprovenBecause: null });
  };
  const put = (at: number, id = instanceId): string => {
    const path = join(directory, backupName({ instanceId: id, at, isEncrypted: false }));
    fs.writeFileSync(path, 'SQLite format 3\0');
    return path;
  };
  let looks = 0;
  const counted = { ...clock, now: () => ((looks += 1), clock.now()) };
  /** Resolves when the loop has looked again at what time it is, and has done what is due then. */
  const look = async (): Promise<void> => {
    const before = looks;
    await until('a look at the time', () => looks > before);
  };
  const start = () => {
    const parts = { plan, dataDir, instanceId, clock: counted, log, run };
    const backups = startScheduledBackups(parts);
    t.after(() => backups[Symbol.asyncDispose]());
    return backups;
  };
  /** What the doctor says: code, sentence and notes. */
  const said = (): string[] =>
    checkBackups({ dataDir, clock }).map(({ code, detail, notes }) =>
      [code ?? 'ok', detail, ...notes].join(' | '),
    );
  return { dataDir, directory, clock, lines, asked, state, put, start, look, said };
}

test('the first backup is made a minute after the start, the next after its time', async (t) => {
  const { dataDir, directory, clock, asked, lines, start, look, said } = scheduled(t);
  const backups = start();
  assert.equal(backups.gauges().lastAt, null);
  assert.match(said().join(), /^backup-missing \| no backup yet: jobd serve makes the first one/);
  await look();
  assert.equal(asked.length, 0, 'not at once');
  clock.advance(minute);
  await until('the first', () => backups.gauges().lastAt === begun + minute);
  const keep = ['--keep', '7d', '--data', dataDir, '--allow-empty', '--json'];
  assert.deepEqual(asked, [['backup', '--to', directory, ...keep]]);
  const { msg, path, bytes } = lines.at(-1) ?? nothing;
  assert.deepEqual([msg, bytes, fs.existsSync(String(path))], ['backup made', 16, true]);
  assert.match(said().join(), /^ok \| every 1 d, not encrypted; the last is of 2026-03-02T10:01/);
  clock.advance(day - 1);
  await look();
  assert.equal(asked.length, 1);
  clock.advance(1);
  await until('the second', () => asked.length === 2);
});

test('a restart continues with the rhythm of the newest own backup', async (t) => {
  const { clock, asked, put, start, look } = scheduled(t);
  put(begun - 23 * hour);
  put(begun - minute, '00000000');
  const first = start();
  assert.equal(first.gauges().lastAt, begun - 23 * hour);
  await first[Symbol.asyncDispose]();
  start();
  clock.advance(59 * minute);
  await look();
  assert.equal(asked.length, 0);
  clock.advance(minute);
  await until('the next', () => asked.length === 1);
});

test('a clock that was far ahead does not keep backups from being made', async (t) => {
  const { clock, asked, put, start } = scheduled(t);
  put(begun + 400 * day);
  start();
  clock.advance(day);
  await until('the next', () => asked.length === 1);
});

test('a failure is an error in the log, is tried again, and known to the doctor after a restart', async (t) => {
  const { directory, clock, asked, lines, state, put, start, look, said } = scheduled(t);
  put(begun - day);
  state.failure = `${directory} cannot be written: it is full`;
  const backups = start();
  clock.advance(minute);
  await until('the failure', () => backups.gauges().isFailing);
  const { level, msg, error, againAt } = lines.at(-1) ?? nothing;
  assert.deepEqual([level, msg, againAt], [50, 'backup failed', '2026-03-02T10:16:00.000Z']);
  assert.equal(error, state.failure);
  await until('the record', () => said()[0]?.startsWith('backup-fails'));
  assert.match(
    said().join(),
    /^backup-fails \| backups fail since 2026-03-02T10:01:.* \| .*it is full$/,
  );
  await backups[Symbol.asyncDispose]();

  const again = start();
  assert.equal(again.gauges().isFailing, true);
  clock.advance(14 * minute);
  await until('another attempt', () => asked.length === 2);
  await look();
  assert.equal(asked.length, 2, 'not all the time');
  clock.advance(day);
  await until('an old one', () => said()[0]?.startsWith('backup-old'));
  state.failure = '';
  clock.advance(15 * minute);
  await until('a backup', () => !again.gauges().isFailing);
  await until('the record', () => said()[0]?.startsWith('ok'));
});

test('the doctor notices that the newest backup is gone, or shorter', async (t) => {
  const { put, start, said } = scheduled(t);
  const path = put(begun - hour);
  start();
  assert.match(said().join(), /^ok /);
  fs.truncateSync(path, 10);
  assert.match(said().join(), /^backup-lost .* is not as long as it was made, 10 instead of 16/);
  fs.rmSync(path);
  assert.match(said().join(), /^backup-lost .* cannot be read/);
});

test('a real backup is made by a process of its own, and a stop ends it', async (t) => {
  const [dataDir, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  await makeStoreWithKey(dataDir);
  {
    await using local = await openTestLocal(dataDir);
    await startInstance(local.store, instanceId);
  }
  // As if this process were a jobd.
  const { argv, execArgv } = process;
  Object.assign(process, { argv: [process.execPath, script], execArgv: [] });
  t.after(() => Object.assign(process, { argv, execArgv }));
  const clock = fakeClock(Date.now());
  const plan = { directory, everyMs: day, keep: '2', recipients: [] };
  const log = pino({ level: 'silent' });
  const parts = { plan, dataDir, instanceId, clock, log, run: runOwnCommand };
  await using backups = startScheduledBackups(parts);
  clock.advance(minute);
  await until('a backup', () => backups.gauges().lastAt !== null);
  assert.equal(fs.readdirSync(directory).length, 1);
  await assert.rejects(
    runOwnCommand(
      ['backup', '--to', join(directory, 'a', 'b'), '--data', dataDir],
      AbortSignal.timeout(60_000),
    ),
    /^Error: .*cannot be made: the directory above it is missing$/,
  );
  const stopped = new AbortController();
  const stopping = runOwnCommand(['serve', '--port', '0', '--data', dataDir], stopped.signal);
  stopped.abort();
  await assert.rejects(stopping, /abort/i);
});
