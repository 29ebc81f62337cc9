/** A selector finds in the database what it fits, whatever characters labels have (docs/behavior.md#label-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, readLabels, type Selector } from '../../../src/domain/labels.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import * as fc from '../../support/fast-check.ts';
import { openTestStore } from '../../support/running/store.ts';

const key = fc.constantFrom('a', 'b', 'a/b', 'ab');
/** What JSON escapes, what `like` reads, what some databases fold, and what looks like the end of a text. */
const value = fc
  .string({
    unit: fc.constantFrom('"', '\\', '%', '_', '😀', 'ä', 'A', 'a', ':', '}', '\ud800'),
    maxLength: 4,
  })
  .map((text) => text || 'a');
const labels = fc.dictionary(key, value, { maxKeys: 3 }).map(readLabels);
const selector: fc.Arbitrary<Selector> = fc.array(
  fc.record({ key, value: fc.option(value), isThere: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

test('a selector finds the jobs that it fits, whatever is in labels', async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const drawn = fc.sample(labels, 60);
  const all = await Promise.all(
    drawn.map(async (own) => ({ own, id: (await addJob({ labels: own })).id })),
  );
  const page = { limit: 100, before: null, name: null, idPrefix: null };
  const values = drawn.flatMap((own) => Object.values(own ?? {}));
  // Values that some job has, as two random ones are seldom the same.
  const known = selector.chain((terms) =>
    fc.tuple(
      ...terms.map((term) =>
        fc.constantFrom(...values).map((own) => ({ ...term, value: term.value && own })),
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(selector, known), async (terms) => {
      const found = await listJobs(store.db, workspaceId, { ...page, selector: terms });
      const fitting = all.filter(({ own }) => fits(own, terms)).map(({ id }) => id);
      assert.deepEqual(found.map(({ id }) => id).toSorted(), fitting.toSorted());
    }),
    { numRuns: 200 },
  );
});
