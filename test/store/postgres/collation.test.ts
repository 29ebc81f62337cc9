/** A database that sorts texts as people of some country do: lists and their pages are those of SQLite all the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchFor } from '../../../src/domain/search.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { listJobsOn, type JobPlace, type JobWalk } from '../../../src/store/overview/jobs.ts';
import { makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';

const { skip, started } = postgresOfFile();
const icu = "locale_provider icu icu_locale 'en-US' template template0";
/** People sort letters before their accents, and both before the next letter; bytes do not. */
const names = ['b', 'B', 'a', 'ä', 'Ä', 'A', 'z', 'Z', '_', '-', '~', '1', '10', '2', 'e é', 'e-e'];
const limit = 3;

test('jobs and their pages are in the same order', { skip }, async (t) => {
  const { url } = await started();
  const database = await makeEmptyDatabase(url, icu);
  await assert.rejects(
    onServer(database, "do $$ begin assert 'B' < 'a', 'people sort otherwise'; end $$"),
    /people sort otherwise/,
    'the database has another order than bytes',
  );
  const lists: Record<string, string[]>[] = [];
  for (const place of [undefined, database]) {
    const store = await openTestStore(t, place);
    for (const [index, name] of names.entries()) await store.addJob({ name }, index);
    lists.push({
      newest: await newestFirst(store, null),
      'of one name': await newestFirst(store, 'ä'),
      'by name': await walked(store, 'name', null),
      'by name, sorted': await walked(store, 'name of few', null),
      'with an umlaut': await walked(store, 'name', 'ä'),
      'with a letter': await walked(store, 'name', 'B'),
      'by due time': await walked(store, 'due', null),
    });
  }
  const [ofFile, ofServer] = lists;
  assert.deepEqual(ofServer, ofFile);
  assert.deepEqual(ofFile?.['newest'], names.toReversed());
  assert.equal(ofFile?.['by name']?.length, names.length);
  assert.deepEqual(ofFile?.['with an umlaut'], ['ä']);
});

/** The names on all pages of the list of jobs. */
async function newestFirst({ store, workspaceId }: TestStore, name: string | null) {
  const found: string[] = [];
  let before: string | null = null;
  for (;;) {
    const page = { limit, before, name, idPrefix: null };
    const jobs = await listJobs(store.db, workspaceId, page);
    found.push(...jobs.map((job) => job.name));
    before = jobs.at(-1)?.id ?? null;
    if (before === null) return found;
  }
}

/** The names on all pages of the list in the browser. */
async function walked({ store, workspaceId }: TestStore, walk: JobWalk, text: string | null) {
  const found: string[] = [];
  let after: JobPlace | null = null;
  for (;;) {
    const search = searchFor(text ?? '');
    const page = { state: null, search, after, upTo: undefined, ids: null, limit };
    const jobs = await listJobsOn(store.db, workspaceId, walk, page);
    found.push(...jobs.map((job) => job.name));
    after = jobs.at(-1) ?? null;
    if (after === null) return found;
  }
}
