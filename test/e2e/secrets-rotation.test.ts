/** A rotation of the master key that is killed at any disk sync loses no sealed value. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../support/running/local.ts';
import { placeOf } from '../../src/domain/secrets/vault.ts';
import { jobColumns, jobOf } from '../../src/store/jobs/jobs.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { executable, jobd, notPackaged } from '../support/running/executable.ts';
import { prepareStore } from '../support/running/prepare.ts';
import { cannotTrace, withFault } from '../support/running/strace.ts';

/** More syncs than a rotation makes. */
const mostSyncs = 40;

/** The request of every job, as a new process opens it. */
async function openAll(dataDir: string): Promise<string[]> {
  await using local = await openTestLocal(dataDir);
  const vault = await local.openVault();
  const jobs = local.store.db.selectFrom('jobs').select(jobColumns).orderBy('id');
  return (await jobs.execute()).map((row) =>
    vault.open(row.sealed ?? '', placeOf('jobs', jobOf(row))),
  );
}

/** Runs the command and kills it at its n-th sync. Returns whether it was killed. */
async function rotateUntil(dataDir: string, sync: number): Promise<boolean> {
  const fault = `fsync,fdatasync:signal=SIGKILL:when=${sync}`;
  const [tracer, ...words] = [...withFault(fault), executable];
  const command = ['secrets', 'rotate', '--yes', '--data', dataDir];
  const child = spawn(tracer ?? executable, [...words, ...command], { env: {}, stdio: 'ignore' });
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(exitCode === 0 || signal === 'SIGKILL', `it ended with ${exitCode ?? signal}`);
  return signal === 'SIGKILL';
}

test(
  'a rotation that is killed at any sync leaves everything readable, and the next one completes it',
  { skip: notPackaged || cannotTrace, timeout: 300_000 },
  async (t) => {
    const dataDir = join(temporaryDirectory(t), 'data');
    await prepareStore(dataDir, async ({ addJob }) => {
      for (let number = 0; number < 150; number += 1) {
        const headers = { 'X-Key': `key of ${number}` };
        await addJob({ name: 'a', url: 'http://127.0.0.1:1/', headers }, 1_700_000_000_000);
      }
    });
    const before = await openAll(dataDir);
    assert.equal(before.length, 150);
    let kills = 0;
    while (kills < mostSyncs && (await rotateUntil(dataDir, kills + 1))) {
      kills += 1;
      assert.deepEqual(await openAll(dataDir), before, `killed at sync ${kills}`);
      // Some interrupted rotations are resumed, some complete first.
      if (kills % 2 === 0) continue;
      const { exitCode, stderr } = await jobd(['secrets', 'rotate', '--yes', '--data', dataDir]);
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(await openAll(dataDir), before);
    }
    assert.ok(kills > 5 && kills < mostSyncs, `${kills}`);
    assert.deepEqual(await openAll(dataDir), before);
  },
);
