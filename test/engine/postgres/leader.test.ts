/** Which node leads: one at a time, whatever dies, and whatever clocks are set. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setServerClock } from '../../support/postgres/clock.ts';
import { onServer } from '../../support/postgres/database.ts';
import { goneIn, nodesIn, saidOfLeading, startMember } from '../../support/postgres/members.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';

const { skip, newDatabase } = postgresOfFile();

describe('a node', { skip, concurrency: 4 }, () => {
  test('leads if it is the oldest', async (t) => {
    const database = await newDatabase();
    const oldest = await startMember(t, database);
    const next = await startMember(t, database);
    assert.ok(oldest.membership.leads());
    assert.ok(!next.membership.leads());
    assert.ok(next.membership.hasOthers());
    assert.equal(next.membership.servingSince, oldest.membership.servingSince);
    await oldest.membership[Symbol.asyncDispose]();
    assert.ok(!oldest.membership.mayBegin());
    await next.renew();
    await until('its turn', () => next.membership.leads());
    assert.ok(!next.membership.hasOthers());
    await until('a line about it', () => saidOfLeading(next).length === 1);
    assert.deepEqual(saidOfLeading(oldest), ['this node is the leader']);
  });

  test('leads no more while its lease has run out, and says so', async (t) => {
    const node = await startMember(t, await newDatabase());
    const { machine, cut } = node;
    cut.isCut = true;
    machine.advanceBoth(13_000);
    await until('a line about it', () => saidOfLeading(node).length === 2);
    cut.isCut = false;
    machine.advanceBoth(5_000);
    await until('another line', () => saidOfLeading(node).length === 3);
    const [begins, ends] = ['this node is the leader', 'this node is the leader no more'];
    assert.deepEqual(saidOfLeading(node), [begins, ends, begins]);
  });

  test('is not the leader beside an older one after the database was away for both', async (t) => {
    const database = await newDatabase();
    const oldest = await startMember(t, database);
    const next = await startMember(t, database);
    const both = [oldest, next];
    for (const { cut } of both) cut.isCut = true;
    for (const { machine } of both) machine.advanceBoth(20_000);
    await onServer(database, 'update nodes set expires_at = 0');
    assert.ok(!oldest.membership.leads());
    next.cut.isCut = false;
    await next.renew();
    assert.ok(next.membership.mayBegin() && !next.membership.leads());
    oldest.cut.isCut = false;
    await oldest.renew();
    assert.ok(oldest.membership.leads());
    for (let renewed = 0; renewed < 8; renewed += 1) {
      for (const { renew } of both) await renew();
      assert.ok(oldest.membership.leads() && !next.membership.leads());
    }
    assert.deepEqual(saidOfLeading(next), []);
    assert.deepEqual(goneIn(both), []);
  });

  test('takes over from the leader that does not come back after the database was away', async (t) => {
    const database = await newDatabase();
    const dead = await startMember(t, database);
    const next = await startMember(t, database);
    for (const { cut } of [dead, next]) cut.isCut = true;
    next.machine.advanceBoth(20_000);
    next.cut.isCut = false;
    await next.renew();
    for (let renewed = 0; renewed < 4; renewed += 1) await next.renew();
    assert.ok(!next.membership.leads(), 'it may still come back');
    await next.renew();
    await until('its turn', () => next.membership.leads());
    assert.deepEqual(goneIn([next]), [dead.membership.nodeId]);
  });

  test('takes over from those that drain once they know of it', async (t) => {
    const database = await newDatabase();
    const draining = await startMember(t, database);
    draining.membership.drain();
    const isKnown = async () => (await nodesIn(draining.store))[0]?.isDraining;
    await until('a word', isKnown);
    await draining.renew();
    assert.ok(draining.membership.leads(), 'there is no other one');
    const next = await startMember(t, database);
    await next.renew();
    assert.ok(draining.membership.leads() && !next.membership.leads());
    await draining.renew();
    assert.ok(!draining.membership.leads());
    await next.renew();
    assert.ok(next.membership.leads());
  });

  for (const seconds of [12, 30, 3_600]) {
    for (const aheadMs of [1_000 * seconds, -1_000 * seconds]) {
      test(`lives on when the clock of the server moves by ${aheadMs} ms`, async (t) => {
        const database = await newDatabase();
        const all = [await startMember(t, database), await startMember(t, database)] as const;
        const renewAll = async () => {
          for (const { renew } of all) await renew();
        };
        for (let renewed = 0; renewed < 6; renewed += 1) await renewAll();
        for (const moved of [aheadMs, 0]) {
          await setServerClock(database, moved);
          // The younger one notices it first.
          for (const { renew } of all.toReversed()) await renew();
          for (let renewed = 0; renewed < 6; renewed += 1) await renewAll();
        }
        assert.deepEqual(goneIn(all), []);
        assert.deepEqual(all.map(saidOfLeading), [['this node is the leader'], []]);
      });

      test(`is replaced within 18 s when it dies and the clock of the server moves by ${aheadMs} ms`, async (t) => {
        const database = await newDatabase();
        const dead = await startMember(t, database);
        const next = await startMember(t, database);
        for (let renewed = 0; renewed < 6; renewed += 1) {
          for (const { renew } of [dead, next]) await renew();
        }
        dead.cut.isCut = true;
        await setServerClock(database, aheadMs);
        for (let renewed = 0; renewed < 4; renewed += 1) await next.renew();
        assert.deepEqual(goneIn([next]), []);
        for (let renewed = 0; renewed < 2; renewed += 1) await next.renew();
        await until('its turn', () => next.membership.leads());
        assert.deepEqual(goneIn([next]), [dead.membership.nodeId]);
      });
    }
  }

  test('lives on when the clock of its machine is set', async (t) => {
    const database = await newDatabase();
    const all = [await startMember(t, database), await startMember(t, database)] as const;
    for (const ms of [12_000, -12_000, 3_600_000, -3_600_000]) {
      all[1].machine.advance(ms);
      for (let renewed = 0; renewed < 6; renewed += 1) {
        for (const { renew } of all) await renew();
      }
    }
    assert.deepEqual(goneIn(all), []);
    assert.ok(all[0].membership.leads() && !all[1].membership.leads());
  });

  test('hands over as soon as it drains, and continues to hold its lease', async (t) => {
    const database = await newDatabase();
    const draining = await startMember(t, database);
    const { membership } = draining;
    const next = await startMember(t, database);
    await draining.renew();
    membership.drain();
    assert.ok(!membership.leads() && membership.mayBegin(), 'before it is known');
    const drainingIn = async () =>
      (await nodesIn(draining.store)).map(({ isDraining }) => isDraining);
    await until('a word', async () => (await drainingIn())[0]);
    await next.renew();
    await until('its turn', () => next.membership.leads());
    await draining.renew();
    assert.ok(!membership.leads() && membership.mayBegin());
    assert.deepEqual(await drainingIn(), [true, false]);
    assert.deepEqual(next.membership.status().roles, ['draining', 'leader']);

    next.membership.drain();
    await until('a word', async () => (await drainingIn())[1]);
    await draining.renew();
    await until('its turn', () => membership.leads());
    assert.ok(!next.membership.leads(), 'nobody stays: the oldest continues until it ends');
  });
});
