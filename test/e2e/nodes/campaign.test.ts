/**
 * Nodes that are killed, frozen, cut off and replaced, whose database restarts and whose clocks are wrong, keep their promise
 * together: each due time is called once, interrupted or missed, nothing is called twice, receipts are whole chains, and each
 * health change is alerted under one id. All of that is judged from outside: by what targets and receivers got, and what the API says.
 *
 *   JOBD_NODES_ROUNDS=200   disturbances in all (5)
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '../../support/postgres/server.ts';
import { repeatedBy, rollDice } from '../../support/dice.ts';
import { skip } from '../postgres/service.ts';
import { startCampaign } from './campaign.ts';

const rounds = Number(process.env['JOBD_NODES_ROUNDS'] ?? 5);

test('nodes keep their promises whatever happens to them', { skip }, async (t) => {
  await using server = await startPostgres();
  const campaign = await startCampaign(t, server, rollDice(t));
  for (let round = 1; round <= rounds; round += 1) {
    t.diagnostic(`${round}: ${await campaign.disturb()}`);
  }
  const { wrong, observed, logs } = await campaign.settle();
  const { runs, receipts, alerts } = observed;
  const counts = Object.groupBy(runs, ({ status }) => status);
  const totals = Object.entries(counts).map(([status, { length }]) => `${length} ${status}`);
  t.diagnostic(`${runs.length} runs: ${totals.join(', ')}`);
  t.diagnostic(`${receipts.size} receipts, ${alerts.length} alerts`);
  assert.deepEqual(wrong, [], repeatedBy);
  assert.ok((counts.success?.length ?? 0) > rounds, 'most were called');
  assert.ok(alerts.length > 0, 'some failed');
  assert.doesNotMatch(logs, /an error inside jobd|broke down.*TypeError/);
});
