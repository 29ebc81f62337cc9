/**
 * The map of promises: the rules of docs/behavior.md that the API can show, row by row, as a customer meets it
 * who has read them and nothing else. Each row has a customer of its own, with a workspace of their
 * own. What is checked in depth elsewhere in this folder has a short row here.
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
import { jobInputPromises } from './contract/job-input.ts';
import { statePromises } from './contract/states.ts';
import { startTestDaemon } from '../support/running/daemon.ts';

const table = [
  ...jobInputPromises,
  ...jobChangePromises,
  ...answerPromises,
  ...statePromises,
  ...endpointPromises,
  ...accessPromises,
];

test('the service keeps what it promises', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const { section, promise, check } of table) {
    await t.test(`${section}: ${promise}`, async (row) => {
      await check(await newCustomer(daemon), row);
    });
  }
});

test('every promise stands under a heading of docs/behavior.md, and none is written twice', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'behavior.md'), 'utf8');
  const anchors = anchorsOf(page);
  for (const { section } of table) assert.ok(anchors.has(section), section);
  assert.equal(new Set(table.map(({ promise }) => promise)).size, table.length);
});
