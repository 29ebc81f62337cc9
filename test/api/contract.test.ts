/**
 * The map of promises: every rule of the spec that the API can show, row by row, as a customer meets it
 * who has read the spec and nothing else. Each row has a customer of its own, with a workspace of their
 * own. What is checked in depth elsewhere in this folder has a short row here.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer } from '../support/customer.ts';
import { accessPromises } from './contract/access.ts';
import { answerPromises } from './contract/answers.ts';
import { endpointPromises } from './contract/endpoints.ts';
import { jobChangePromises } from './contract/job-change.ts';
import { jobInputPromises } from './contract/job-input.ts';
import { statePromises } from './contract/states.ts';
import { startTestDaemon } from '../support/daemon.ts';

const table = [
  ...jobInputPromises,
  ...jobChangePromises,
  ...answerPromises,
  ...statePromises,
  ...endpointPromises,
  ...accessPromises,
];

test('the service keeps what its specification promises', async (t) => {
  const daemon = await startTestDaemon(t);
  for (const { section, promise, check } of table) {
    await t.test(`${section}: ${promise}`, async (row) => {
      await check(await newCustomer(daemon), row);
    });
  }
});

test('every section that the API can show has its rows, and no promise is written twice', () => {
  const sections = new Set(table.map(({ section }) => section));
  assert.deepEqual(
    [...sections],
    ['2.1', '2.2', '2.3', '2.4', '3.1', '3.2', '4', '5', '7', '8', '9'],
  );
  assert.equal(new Set(table.map(({ promise }) => promise)).size, table.length);
});
