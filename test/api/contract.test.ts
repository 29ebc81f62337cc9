/**
 * The promises of docs/behavior.md that the API can show, one row each, tested by a customer who
 * has read nothing else. Each row has its own customer and workspace. The other files of this
 * folder test the details.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { anchorsOf } from '../support/checks/anchors.ts';
import { newCustomer } from '../support/records/customer.ts';
import { accessPromises } from './contract/access.ts';
import { answerPromises } from './contract/answers.ts';
import { endpointPromises } from './contract/endpoints.ts';
import { jobChangePromises } from './contract/job-change.ts';
import { statePromises } from './contract/states.ts';
import { startTestDaemon } from '../support/running/daemon.ts';

const table = [
  ...jobChangePromises,
  ...answerPromises,
  ...statePromises,
  ...endpointPromises,
  ...accessPromises,
];

test('the service keeps its documented promises', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const { section, promise, check } of table) {
    await t.test(`${section}: ${promise}`, async (row) => {
      await check(await newCustomer(daemon), row);
    });
  }
});

test('every promise has a heading in docs/behavior.md, and none is listed twice', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'behavior.md'), 'utf8');
  const anchors = anchorsOf(page);
  for (const { section } of table) assert.ok(anchors.has(section), section);
  assert.equal(new Set(table.map(({ promise }) => promise)).size, table.length);
});
