/**
 * Pages of attackers, in a real browser in which somebody is signed in to jobd: nothing is done, and nothing is read. The
 * pages are on another port of the same host, which browsers count as the same site and send the cookie to, and on another
 * host. Each case is tried at a loopback address, which browsers trust, and at the name of another machine without https,
 * where they say less about who asks.
 */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { person } from './running/browser.ts';
import { addJob, noPages, servePages, signInWith, type ServedPages } from './running/served.ts';
import { attack, type Prey } from './hostile/attack.ts';
import { startSink } from '../../support/fakes/sink.ts';

/** An attacker's web server; it may be reached by any name. Resolves with its port. */
async function serveAttacker(t: TestContext): Promise<number> {
  const { url } = await startSink(t, (response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>nice page</title>');
  });
  return Number(new URL(url).port);
}

/** Everything that an attacker would like to change. */
async function stateOf(jobd: ServedPages): Promise<unknown[]> {
  const paths = ['/jobs', '/monitors', '/channels', '/me', '/runs'];
  return await Promise.all(
    paths.map(async (path) => {
      const headers = { authorization: `Bearer ${jobd.key}` };
      return await (await fetch(`${jobd.url}/api/v1${path}`, { headers })).json();
    }),
  );
}

/** What the headers of a request are known by at the latest, if it was sent at all. */
const knownWithinMs = 20_000;

/** Whether the browser sent a session cookie with a request. */
async function hasCookie(request: Request): Promise<boolean> {
  const known = request.allHeaders().catch(() => ({})); // its frame may be gone
  // Those of a request that never left the browser are never known.
  const headers = await Promise.race([known, setTimeout(knownWithinMs, {}, { ref: false })]);
  return 'cookie' in headers && headers.cookie.includes('jobd');
}

const rows = [
  { victim: '127.0.0.1', attacker: '127.0.0.1', isCookieSent: true },
  { victim: '127.0.0.1', attacker: 'evil.test', isCookieSent: false },
  { victim: 'jobd.test', attacker: 'jobd.test', isCookieSent: true },
  { victim: 'jobd.test', attacker: 'evil.test', isCookieSent: false },
];

describe('a hostile page', { skip: noPages }, () => {
  for (const { victim, attacker, isCookieSent } of rows) {
    const where = attacker === victim ? 'another port of the same host' : 'another host';
    test(`on ${where} does and reads nothing at http://${victim}`, async (t) => {
      const jobd = await servePages(t);
      const jobId = await addJob(jobd, 'precious');
      const site = jobd.url.replace('127.0.0.1', victim);
      const { open } = await person(t);
      const own = await open(`${site}/sign-in`);
      await signInWith(own, jobd.key);
      const session = await sessionOf(own);
      const workspaceId = session.workspace.id;
      const before = await stateOf(jobd);

      const page = await open(`http://${attacker}:${await serveAttacker(t)}/`);
      // Those of its own frames. A window that it opens is jobd's page, which may ask.
      const sent: Promise<boolean>[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(site)) sent.push(hasCookie(request));
      });
      const prey: Prey = { site, jobId, workspaceId, key: jobd.key };
      const read = await page.evaluate(attack, prey);

      assert.deepEqual(read, [], 'something was read');
      assert.deepEqual(await stateOf(jobd), before, 'something was done');
      assert.ok(sent.length > 20, `only ${sent.length} requests arrived`);
      assert.equal((await Promise.all(sent)).includes(true), isCookieSent);
      // The session is as it was, and is of the same person.
      await own.bringToFront();
      await own.goto(own.url());
      await own.getByRole('button', { name: 'Sign out' }).waitFor();
      assert.deepEqual(await sessionOf(own), session);
      // The page itself may do what the attacker could not.
      assert.equal(await own.evaluate(runJob, { jobId, workspaceId }), 202);
      assert.notDeepEqual(await stateOf(jobd), before);
    });
  }

  test('under a name that leads to jobd later (DNS rebinding) is nobody', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    await signInWith(await open(`${jobd.url}/sign-in`), jobd.key);
    // Its name is jobd's address by now, so all requests are of its own origin.
    const page = await open(`${jobd.url.replace('127.0.0.1', 'evil.test')}/sign-in`);
    const statuses = await page.evaluate(async () => {
      const paths = ['/session', '/jobs', '/me', '/overview'];
      return await Promise.all(paths.map(async (path) => (await fetch(`/api/v1${path}`)).status));
    });
    assert.deepEqual(statuses, [401, 401, 401, 401]);
  });
});

interface Session {
  id: string;
  workspace: { id: string };
}

async function sessionOf(page: Page): Promise<Session> {
  return await page.evaluate(async () => {
    const answer = (await (await fetch('/api/v1/session')).json()) as { session: Session };
    return answer.session;
  });
}

async function runJob({ jobId, workspaceId }: { jobId: string; workspaceId: string }) {
  const headers = { 'x-jobd-workspace': workspaceId };
  return (await fetch(`/api/v1/jobs/${jobId}/run`, { method: 'POST', headers })).status;
}
