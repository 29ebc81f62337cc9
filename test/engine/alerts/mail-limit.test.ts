/** What a workspace may mail: alerts beyond it wait, and tests are refused. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { testChannel } from '../../../src/app/alerts/deliveries.ts';
import type { Channel } from '../../../src/domain/alerts/channel.ts';
import type { Delivery } from '../../../src/domain/alerts/delivery.ts';
import { parseMailServer } from '../../../src/domain/alerts/mail-server.ts';
import { createMailer } from '../../../src/egress/mail.ts';
import { createMailAllowance } from '../../../src/engine/alerts/mail-limit.ts';
import { startMailServer } from '../../support/fakes/mail-server.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

/** A job that fails, and 21 mail channels with 50 recipients each: 1,050 mails. */
async function setup(t: TestContext, account: string) {
  const engine = await setupEngine(t);
  const { store, clock } = engine;
  await store.db.updateTable('accounts').set({ name: account }).execute();
  const { host, received } = await startMailServer(t);
  const value = `smtp://${host}?from=jobd@example.com`;
  const server = parseMailServer({ name: '--smtp-url', value }) ?? assert.fail();
  const mailer = createMailer(server);
  t.after(() => mailer[Symbol.asyncDispose]());
  const to = Array.from({ length: 50 }, (_, index) => `p${index}@example.com`).join(',');
  const channels: Channel[] = [];
  for (let number = 1; number <= 21; number += 1) {
    const input = { name: `mail ${number}`, type: 'email', config: { to } } as const;
    channels.push(await addChannel(engine, '', input));
  }
  const target = await startSink(t, (response) => response.writeHead(500).end());
  await engine.addJob({ ...dueOnce, url: target.url });
  clock.set(dueAt);
  const mailAllowance = createMailAllowance({ store, clock });
  const { wakeNotifier } = await engine.start({ mailer, mailAllowance });
  const deliveries = async (): Promise<Delivery[]> =>
    (await Promise.all(channels.map((channel) => deliveriesOf(engine, channel)))).flat();
  const app = quietApp({ store, clock, mailWaitMs: mailAllowance.waitMs });
  const testFirst = () => testChannel(app, writerIn(engine.workspaceId), channels[0]?.id ?? '');
  return { ...engine, received, deliveries, wakeNotifier, testFirst };
}

test('mail beyond 1,000 an hour of an account waits, says why, and is sent later', async (t) => {
  const { clock, received, deliveries, wakeNotifier, testFirst } = await setup(t, 'tenant');
  const tried = await until('an attempt of each', async () => {
    const all = await deliveries();
    return all.length === 21 && all.every(({ attempts }) => attempts > 0) && all;
  });
  const waiting = tried.filter(({ status }) => status === 'pending');
  assert.deepEqual([waiting.length, received.length], [1, 20]);
  const why =
    /^(mail: )?an account may send 1000 mails an hour, each recipient counted: again in 3 min$/;
  assert.match(waiting[0]?.lastError ?? '', why);
  await assert.rejects(testFirst(), { code: 'rate_limited', message: why });
  clock.advanceBoth(4 * 60_000);
  wakeNotifier();
  await until('the last mail', () => received.length === 21);
  await until('its record', async () =>
    (await deliveries()).every(({ status }) => status === 'delivered'),
  );
});

test('the default account, which is the operator’s, has no limit', async (t) => {
  const { received, testFirst } = await setup(t, 'default');
  await until('all mails', () => received.length === 21);
  assert.equal((await testFirst()).event, 'test');
});
