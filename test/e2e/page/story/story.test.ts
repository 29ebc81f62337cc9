/** The whole story of a job by keyboard alone, in a wide and in a narrow window. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { windows } from '../pages.ts';
import { person } from '../running/browser.ts';
import { noPages, servePages } from '../running/served.ts';
import { startStoryTarget, steps, tellStory } from './tell.ts';

/** Makes all jobs due, and runs by hand older than a minute. */
function passMinute(dataDir: string): void {
  const db = new Database(join(dataDir, 'jobd.db'));
  try {
    db.exec(`
      update jobs set next_run_at = ${Date.now()} where next_run_at is not null;
      update runs set scheduled_for = scheduled_for - 60000 where source = 'manual';
    `);
  } finally {
    db.close();
  }
}

describe('a day with a job, by keyboard alone', { skip: noPages, concurrency: 2 }, () => {
  for (const viewport of windows) {
    test(`at ${viewport.width} px`, async (t) => {
      const target = await startStoryTarget();
      t.after(() => target[Symbol.asyncDispose]());
      const jobd = await servePages(t);
      const { open, complaints } = await person(t, { viewport });
      const page = await open(jobd.url);
      await page.getByLabel('API key').waitFor();
      const told: string[] = [];
      const picture = async (name: string): Promise<void> => void told.push(name);
      const hurry = async (): Promise<void> => {
        passMinute(jobd.dataDir);
        // The page knows when it ran the job.
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
      };
      await tellStory({ page, target, key: jobd.key, picture, hurry });
      assert.deepEqual(told, steps);
      assert.deepEqual(complaints, []);
    });
  }
});
