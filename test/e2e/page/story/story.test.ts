/** The whole story of a job by keyboard alone, in a wide and in a narrow window. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { windows } from '../pages.ts';
import { person } from '../running/browser.ts';
import { noPages, servePages } from '../running/served.ts';
import { startStoryTarget } from './target.ts';
import { steps, tellStory } from './tell.ts';

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
      await tellStory({ page, target, key: jobd.key, picture });
      assert.deepEqual(told, steps);
      assert.deepEqual(complaints, []);
    });
  }
});
