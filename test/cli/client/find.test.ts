/** A name costs one request, however many there are; what is not found or not clear is said with what to do (docs/behavior.md#cli-6). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOne, type Named } from '../../../src/cli/client/find.ts';
import { JobdError } from '../../../src/domain/errors.ts';

const createdAt = '2026-01-02T03:04:05.000Z';
const items: Named[] = [
  { id: '019a9b1c-7f3a-7000-8000-000000000001', name: 'backup', createdAt, status: 'up' },
  { id: '019a9b1c-7f3a-7000-8000-000000000002', name: 'twin', createdAt, url: 'http://a/' },
  { id: '019a9b1c-7f3b-7000-8000-000000000003', name: 'twin', createdAt, url: 'http://b/' },
  { id: '019a9b1c-7f3b-7000-8000-000000000004', name: '019a', createdAt },
  { id: '019a9b1c-7f3c-7000-8000-000000000005', name: 'zero\u200bwidth', createdAt },
];

const monitors: Named[] = [
  { id: '019a9b1c-7f3d-7000-8000-000000000006', name: 'nightly', createdAt },
  { id: '019a9b1c-7f3d-7000-8000-000000000007', name: 'two words', createdAt },
];

/** A server with these items that notes what it is asked. */
function search() {
  const asked: string[] = [];
  return {
    asked,
    noun: 'job',
    other: 'monitor',
    async get(id: string) {
      asked.push('get');
      const found = items.find((item) => item.id === id.toLowerCase());
      if (found === undefined) throw new JobdError('not_found', 'none');
      return found;
    },
    async page({ name, idPrefix }: { name?: string; idPrefix?: string }, of = 'job') {
      if (of !== 'job') {
        asked.push(of);
        return monitors.filter((item) => item.name === name);
      }
      asked.push(name === undefined ? (idPrefix === undefined ? 'newest' : 'prefix') : 'name');
      return items.filter(
        (item) =>
          (name === undefined || item.name === name) &&
          (idPrefix === undefined || item.id.startsWith(idPrefix)),
      );
    },
  };
}

test('a name or an id costs one request, the beginning of an id two', async () => {
  const rows: [text: string, id: string | undefined, asked: string[]][] = [
    ['backup', items[0]?.id, ['name']],
    ['019a', items[3]?.id, ['name']],
    [items[1]?.id.toUpperCase() ?? '', items[1]?.id, ['get']],
    ['019a9b1c-7f3a-7000-8000-000000000002'.slice(0, 36), items[1]?.id, ['get']],
    ['019a9b1c-7f3b-7000-8000-000000000003'.slice(0, 35), undefined, ['name', 'prefix']],
  ];
  for (const [text, id, asked] of rows) {
    const server = search();
    const found = await findOne(server, text).catch(() => undefined);
    if (id !== undefined) assert.equal(found?.id, id, text);
    assert.deepEqual(server.asked, asked, text);
  }
});

async function refusalOf(text: string): Promise<JobdError> {
  const error = await findOne(search(), text).catch((reason: unknown) => reason);
  assert.ok(error instanceof JobdError, text);
  return error;
}

test('a name that only a monitor has is said to be one, with its command', async () => {
  const server = search();
  const error = await findOne(server, 'nightly').catch((reason: unknown) => reason);
  assert.ok(error instanceof JobdError && error.code === 'not_found');
  const sentence = 'there is no job named nightly; it is a monitor: jobd monitors get nightly';
  assert.equal(error.message, sentence);
  assert.deepEqual(server.asked, ['name', 'monitor']);
  const id = monitors[1]?.id ?? '';
  assert.match((await refusalOf('two words')).message, new RegExp(`monitors get ${id}$`));
});

test('several of one name, or of one beginning, are listed to choose from', async () => {
  const twins = await refusalOf('twin');
  assert.equal(twins.message, '2 jobs are named twin: use an id');
  assert.match(twins.notes[0] ?? '', /^\S{36} {2}twin {2}http:\/\/a\/ {2}created \d+ d ago$/);
  assert.equal(twins.notes.length, 2);
  const begun = await refusalOf('019a9b1c-7f3a');
  assert.equal(begun.message, 'the ids of 2 jobs begin with 019a9b1c-7f3a: use more of it');
  const unknown = await refusalOf('bakcup');
  assert.deepEqual(
    [unknown.code, unknown.message],
    ['not_found', 'there is no job named bakcup; did you mean backup?'],
  );
  assert.equal((await refusalOf('')).code, 'usage');
  const strange = await refusalOf('something else');
  assert.equal(strange.message, 'there is no job named something else; jobd jobs list shows them');
  const blank = await refusalOf('bakcup ');
  assert.equal(blank.message, 'there is no job named "bakcup "; did you mean backup?');
  const unseen = await refusalOf('zerowidth');
  const quoted = String.raw`"zero\u200bwidth"`;
  assert.equal(unseen.message, `there is no job named zerowidth; did you mean ${quoted}?`);
});
