/** Signing in and out in a real browser, on the packaged executable. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { person } from './running/browser.ts';
import {
  addJob,
  assertSignedOut,
  noPages,
  openSettings,
  servePages,
  signInWith,
} from './running/served.ts';
import type { ServedPages } from './running/served.ts';

describe('signing in', { skip: noPages }, () => {
  test('a key signs in, and the page shows whose jobs these are', async (t) => {
    const jobd = await servePages(t);
    const { open, context, complaints } = await person(t);
    const page = await open(jobd.url);
    await assertSignedOut(page);
    await signInWith(page, jobd.key);
    await page.waitForURL(`${jobd.url}/`);
    await page.getByRole('heading', { level: 1, name: 'No jobs yet' }).waitFor();
    assert.equal(await page.locator('.workspace').textContent(), 'default');
    await page.waitForFunction(() => document.title === 'No jobs yet · jobd');
    await openSettings(page);
    await page.getByText('read and change everything in this workspace').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    // Nothing that a script could steal: the cookie is out of its reach, and nothing else is kept.
    const kept = await page.evaluate(() => [
      document.cookie,
      localStorage.length,
      sessionStorage.length,
    ]);
    assert.deepEqual(kept, ['', 0, 0]);
    for (const cookie of await context.cookies()) {
      assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict', cookie.name);
      assert.ok(!jobd.key.includes(cookie.value) && !cookie.value.includes(jobd.key));
    }
    assert.deepEqual(complaints, []);
  });

  test("a wrong key gets the API's sentence, and may be corrected", async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await page.getByLabel('API key').fill('cp_wrong');
    await page.keyboard.press('Enter');
    const refusal = await fetch(`${jobd.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'cp_wrong' }),
    });
    const { error } = (await refusal.json()) as { error: string };
    assert.equal(await page.getByRole('alert').textContent(), error);
    assert.equal(await page.getByLabel('API key').inputValue(), 'cp_wrong');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'key');
    await signInWith(page, jobd.key);
  });

  test('the link of jobd open signs an owner in, once, and leaves no code in the address', async (t) => {
    const jobd = await servePages(t);
    const link = await jobd.link();
    const code = link.split('#code=')[1] ?? '';
    const first = await person(t);
    const page = await first.open(link);
    await page.waitForURL(`${jobd.url}/`);
    await openSettings(page);
    await page.getByText('manage its keys').waitFor();
    // Neither in an entry that Back leads to.
    await page.goBack();
    const seen = await page.evaluate(() => [
      ...navigation.entries().map(({ url }) => url),
      location.href,
      document.referrer,
      document.body.innerText,
    ]);
    assert.ok(!seen.join(' ').includes(code), 'the code is still to be seen');

    const second = await person(t);
    const refused = await second.open(link);
    await refused.getByRole('alert').waitFor();
    assert.doesNotMatch(refused.url(), /#|code/);
    await assertSignedOut(refused);
    assert.deepEqual([...first.complaints, ...second.complaints], []);
    assert.ok(!jobd.log().includes(code) && !jobd.log().includes(jobd.key));
  });

  test('a link in a tab that is open already is used too', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await assertSignedOut(page);
    const link = await jobd.link('--read');
    await page.evaluate((to) => location.assign(to), link);
    await page.getByText('only read').waitFor();
    assert.doesNotMatch(page.url(), /code/);
  });

  test('who is signed in is asked before a link changes that', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    await signInWith(await open(`${jobd.url}/sign-in`), jobd.key);
    const page = await open(await jobd.link('--read'));
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await openSettings(page);
    await page.getByText('read and change everything').waitFor();
    const other = await open(await jobd.link('--read'));
    await other.getByRole('button', { name: 'Use the link' }).click();
    await other.locator('.who').getByText('only read').waitFor();
    // The first tab hears of it.
    await page.locator('.who').getByText('only read').waitFor();
    await page.getByText('may only read in this workspace').waitFor();
  });

  test('signing out in one tab ends the others', async (t) => {
    const jobd = await servePages(t);
    const { open, context, complaints } = await person(t);
    const here = await open(`${jobd.url}/sign-in`);
    await signInWith(here, jobd.key);
    const there = await open(jobd.url);
    await there.getByRole('button', { name: 'Sign out' }).waitFor();
    const [cookie] = await context.cookies(`${jobd.url}/api/v1`);
    await here.getByRole('button', { name: 'Sign out' }).click();
    await assertSignedOut(here);
    await here.getByText('You are signed out.').waitFor();
    await assertSignedOut(there);
    await there.getByText('You signed out in another tab.').waitFor();
    assert.deepEqual(await context.cookies(`${jobd.url}/api/v1`), []);
    // A stolen cookie is worth nothing any more.
    const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
    assert.equal((await fetch(`${jobd.url}/api/v1/session`, { headers })).status, 401);
    assert.deepEqual(complaints, []);
  });

  test('a key that is revoked ends its sessions: the page says so, and is left only when asked', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await signInWith(page, jobd.key);
    const { keys } = JSON.parse(await jobd.command('key', 'list', '--json')) as {
      keys: { id: string }[];
    };
    await jobd.command('key', 'revoke', keys[0]?.id ?? '', '--yes');
    // Its stream would end within 20 s.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Leave this page' }).click();
    await assertSignedOut(page);
  });

  for (const way of ['key', 'link'] as const) {
    test(`what was typed stays when the session ends, and one signs in again by ${way}`, async (t) => {
      const jobd = await servePages(t);
      const { open, context, complaints } = await person(t);
      const page = await open(way === 'link' ? await jobd.link() : `${jobd.url}/sign-in`);
      if (way === 'key') {
        await signInWith(page, jobd.key);
        await addJob(jobd, 'Nightly backup');
        await page.getByRole('link', { name: 'Nightly backup' }).waitFor();
        await page.getByLabel('Search names').fill('half typed');
      } else {
        await openSettings(page);
        await page.getByRole('button', { name: 'New key' }).click();
        await page.getByLabel('Name').fill('half typed');
      }
      await endSessions(jobd, context);
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      if (way === 'key') await signInWith(page, jobd.key);
      else {
        await dialog.getByText('sudo jobd open').waitFor();
        const other = await open(await jobd.link());
        await other.getByRole('button', { name: 'Sign out' }).waitFor();
        await page.bringToFront();
      }
      await dialog.waitFor({ state: 'detached' });
      const field = way === 'key' ? page.getByLabel('Search names') : page.getByLabel('Name');
      assert.equal(await field.inputValue(), 'half typed');
      if (way === 'link') {
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByText('It is shown only this once').waitFor();
      }
      assert.deepEqual(complaints, []);
    });
  }

  test('a jobd that does not answer is said, and asked again', async (t) => {
    const jobd = await servePages(t);
    const { open, context } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await signInWith(page, jobd.key);
    await page.getByText('No jobs yet').waitFor();
    const session = `${jobd.url}/api/v1/session`;
    await context.route(session, (route) => route.abort());
    const other = await open(jobd.url);
    await other.getByRole('alert').waitFor();
    await context.unroute(session);
    await other.getByRole('button', { name: 'Try again' }).click();
    await other.getByRole('button', { name: 'Sign out' }).waitFor();

    let refusals = 0;
    await context.route(session, async (route) => {
      refusals += 1;
      if (refusals > 2) return await route.continue();
      const wait = { 'retry-after': '1' };
      await route.fulfill({ status: 429, headers: wait, json: { error: 'again in a second' } });
    });
    await (await open(jobd.url)).getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(refusals, 3);
    await context.unroute(session);

    await jobd.stop();
    await page.bringToFront();
    await page.getByText(/Stale since \d\d:\d\d:\d\d: jobd does not answer/).waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'No jobs yet');
  });

  test('two jobd on one host stay signed in both', async (t) => {
    const [one, two] = [await servePages(t), await servePages(t)];
    const { open, context } = await person(t);
    const pages = [await open(`${one.url}/sign-in`), await open(`${two.url}/sign-in`)] as const;
    await signInWith(pages[0], one.key);
    await signInWith(pages[1], two.key);
    for (const page of pages) {
      await page.reload();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    }
    assert.equal((await context.cookies()).length, 2);
    await pages[0].getByRole('button', { name: 'Sign out' }).click();
    await assertSignedOut(pages[0]);
    await pages[1].reload();
    await pages[1].getByRole('button', { name: 'Sign out' }).waitFor();
  });
});

/** Ends the sessions of a browser from elsewhere. */
async function endSessions({ url }: ServedPages, context: BrowserContext): Promise<void> {
  const api = `${url}/api/v1`;
  const [cookie] = await context.cookies(api);
  const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
  const answer = (await (await fetch(`${api}/session`, { headers })).json()) as {
    session: { id: string; workspace: { id: string } };
  };
  const { id, workspace } = answer.session;
  const ended = await fetch(`${api}/sessions/${id}`, {
    method: 'DELETE',
    headers: { ...headers, origin: url, 'x-jobd-workspace': workspace.id },
  });
  assert.equal(ended.status, 200);
}
