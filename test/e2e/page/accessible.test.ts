/** The pages for everybody: by keyboard alone, at 360 px, in light and dark, for screen readers. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible } from './running/accessible.ts';
import { person } from './running/browser.ts';
import {
  addJob,
  assertSignedOut,
  noPages,
  openSettings,
  servePages,
  signInWith,
} from './running/served.ts';

describe('the pages', { skip: noPages }, () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_200, 360]) {
      test(`have no violation that axe knows, ${colorScheme}, ${width} px`, async (t) => {
        const jobd = await servePages(t);
        const viewport = { width, height: 800 };
        const { open, complaints } = await person(t, { colorScheme, viewport });
        const page = await open(`${jobd.url}/sign-in`);
        await assertSignedOut(page);
        await assertAccessible(page, 'signing in');
        await page.getByLabel('API key').fill('cp_wrong');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await assertAccessible(page, 'a wrong key');
        await signInWith(page, jobd.key);
        await page.getByText('No jobs yet').waitFor();
        await assertAccessible(page, 'no jobs');
        await openSettings(page);
        await page.getByText('managed by the owner').waitFor();
        await assertAccessible(page, 'settings');
        await addJob(jobd, 'Nightly backup');
        await page.getByRole('link', { name: 'Jobs', exact: true }).click();
        await page.getByRole('link', { name: 'Nightly backup' }).waitFor();
        await assertAccessible(page, 'jobs');
        await page.goto(await jobd.link());
        await page.getByRole('button', { name: 'Use the link' }).waitFor();
        await assertAccessible(page, 'the question');
        await page.getByRole('button', { name: 'Use the link' }).click();
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        await openSettings(page);
        await page.getByRole('button', { name: 'New key' }).waitFor();
        await page.getByText('Alert email').waitFor();
        await assertAccessible(page, "the owner's settings");
        await page.getByRole('button', { name: 'New key' }).click();
        await assertAccessible(page, 'a new key');
        await page.getByLabel('Name').fill('laptop');
        await page.keyboard.press('Enter');
        await page.getByText('It is shown only this once').waitFor();
        await assertAccessible(page, 'the key itself');
        assert.deepEqual(complaints, []);
      });
    }
  }

  test('can be used by keyboard alone', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(jobd.url);
    await assertSignedOut(page);
    const focused = (): Promise<string> =>
      page.evaluate(() => (document.activeElement as HTMLElement | null)?.innerText ?? '');
    await page.keyboard.type(jobd.key);
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Sign in');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Copy');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByText('No jobs yet').waitFor();
    assert.equal(await focused(), 'No jobs yet', 'the heading says where one is');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(), 'Sign out');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    assert.equal(outline, 'solid', 'the focus can be seen');
    await page.keyboard.press('Enter');
    await assertSignedOut(page);
  });

  for (const host of ['127.0.0.1', 'jobd.test']) {
    test(`copy the command at ${host}, with or without a secure context`, async (t) => {
      const jobd = await servePages(t);
      const { open } = await person(t);
      const page = await open(`${jobd.url.replace('127.0.0.1', host)}/sign-in`);
      assert.equal(await page.evaluate(() => isSecureContext), host === '127.0.0.1');
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await page.getByLabel('API key').focus();
      await page.keyboard.press('Control+V');
      assert.equal(await page.getByLabel('API key').inputValue(), 'sudo -u jobd jobd open');
    });
  }
});
