/**
 * A daemon that is killed again and again, at random and at the worst moments, keeps its promise:
 * no due time is called twice, nothing acknowledged is lost, uncertain runs are interrupted and
 * never sent again, and every due time is accounted for.
 *
 *   JOBD_CRASH_ROUNDS=200   deaths in all, each at its point (18)
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { readBooks } from '../support/checks/audit.ts';
import { notPackaged } from '../support/running/executable.ts';
import { cannotTrace } from '../support/running/strace.ts';
import { crash, settle, startCampaign } from './crash/campaign.ts';
import { runsPromised } from './crash/customer.ts';
import * as kills from './crash/kills.ts';
import { repeatedBy, rollDice } from '../support/dice.ts';

const rounds = Number(process.env['JOBD_CRASH_ROUNDS'] ?? 18);

const triesPerDeath = 5;

const deaths: { what: string; kill: kills.Kill; skip?: string | false }[] = [
  { what: 'at any moment', kill: kills.atAnyMoment },
  { what: 'as soon as a run is claimed', kill: kills.whenClaimed },
  { what: 'as soon as a run by hand is promised', kill: kills.whenPromised },
  { what: 'when a request has arrived, before or after its answer', kill: kills.whenSent },
  { what: 'before it connects to a target', kill: kills.whenConnecting, skip: cannotTrace },
  { what: 'in the middle of a write', kill: kills.whenWriting, skip: cannotTrace },
  { what: 'while every third sync fails', kill: kills.inDoubt, skip: cannotTrace },
];

test('a daemon keeps its promises across kills', { skip: notPackaged }, async (t: TestContext) => {
  const campaign = await startCampaign(t, rollDice(t));
  for (const { what, kill, skip = false } of deaths) {
    await t.test(`killed ${what}`, { skip }, async (part) => {
      let [round, reached] = [0, 0];
      const share = Math.ceil(rounds / deaths.length);
      // A daemon may die before its point, or never reach it.
      for (; reached < share && round < share * triesPerDeath; round += 1) {
        const { wrong, ...death } = await crash(part, campaign, kill);
        reached += Number(death.reached);
        const where = `round ${campaign.round} (${death.ending}), ${repeatedBy}`;
        assert.deepEqual(wrong, [], where);
      }
      part.diagnostic(`${reached} of ${round} died there`);
      assert.equal(reached, share, `only ${reached} of ${round} died there`);
    });
  }
  await t.test('in the end everything is accounted for', async (part) => {
    const wrong = await settle(part, campaign);
    assert.deepEqual(wrong, [], repeatedBy);
    const { runs } = readBooks(campaign.dataDir);
    const seen = new Set(campaign.witness.arrivals.map(({ runId }) => runId));
    const interrupted = runs.filter(({ status }) => status === 'interrupted');
    const counts = Object.groupBy(runs, ({ status }) => status);
    const totals = Object.entries(counts).map(([status, { length }]) => `${length} ${status}`);
    part.diagnostic(`${runs.length} runs (${totals.join(', ')}), ${seen.size} called`);
    const { promises, madeUp } = campaign;
    part.diagnostic(`${madeUp.made} runs made up for missed ones, ${madeUp.dropped} were dropped`);
    assert.ok(madeUp.made > 0, 'some due times were made up for');
    const called = promises.calls.size;
    part.diagnostic(
      `promised: ${promises.jobs.size} jobs, ${runsPromised(promises)} runs by hand, ${called} calls`,
    );
    assert.ok(
      interrupted.some(({ id }) => seen.has(id)),
      'some died after they were sent',
    );
    assert.ok(
      cannotTrace || interrupted.some(({ id }) => !seen.has(id)),
      'some died before they were sent',
    );
  });
});
