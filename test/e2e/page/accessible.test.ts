/** The pages for everybody: no barrier that axe knows, in light and dark, wide and narrow; and what screen readers get. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { opened } from './opened.ts';
import { pages } from './pages.ts';
import { assertAccessibleAnyhow } from './running/accessible.ts';
import { person } from './running/browser.ts';
import {
  assertSignedOut,
  noPages,
  openSettings,
  sharedDemo,
  servePages,
  signInWith,
} from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

/** Has axe look at a page in all ways. */
async function lookAt(t: TestContext, name: string, open: () => Promise<Page>): Promise<void> {
  await t.test(name, async () => {
    const page = await open();
    await assertAccessibleAnyhow(page);
    await page.close();
  });
}

describe('in both themes, at 1,200 and 360 px, axe finds nothing', { skip: noPages }, () => {
  test('on every page, and in what opens there', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    // The description of the API, with thousands of links, is looked at in docs.test.ts.
    for (const shown of pages.filter(({ name }) => name !== 'docs')) {
      await lookAt(t, shown.name, () => open(shown));
    }
    for (const one of opened) await lookAt(t, one.name, () => open(one));
    assert.deepEqual(complaints(), []);
  });

  test('while somebody signs in, by key and by link, and again', async (t) => {
    const jobd = await servePages(t);
    const { open, context, complaints } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await assertSignedOut(page);
    await page.getByLabel('API key').fill('cp_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await assertAccessibleAnyhow(page);
    await signInWith(page, jobd.key);
    await openSettings(page);
    await page.getByText('managed by the owner').waitFor();
    await assertAccessibleAnyhow(page);
    await page.goto(await jobd.link());
    await page.getByRole('button', { name: 'Use the link' }).waitFor();
    await assertAccessibleAnyhow(page);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${jobd.url}/channels/new`);
    await page.getByLabel('Name', { exact: true }).fill('Hook');
    await page.getByLabel('Type').selectOption('webhook');
    await page.getByLabel('URL').fill('http://127.0.0.1:9/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor();
    await assertAccessibleAnyhow(page);
    await context.clearCookies();
    await page.goto(`${jobd.url}/sign-in`);
    await signInWith(page, jobd.key);
    await context.clearCookies();
    // Not a click: the page may notice by itself, and its dialog would take that.
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Channels' })
      .dispatchEvent('click');
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await assertAccessibleAnyhow(page);
    assert.deepEqual(complaints, []);
  });
});

/** The lines of what a screen reader gets of a page. */
async function readLines(page: Page): Promise<string[]> {
  const tree = await page.locator('main').ariaSnapshot();
  return tree.split('\n').map((line) => line.replace(/^[\s-]*|:$/g, '').replaceAll(/^'|'$/g, ''));
}

/** Asserts that these lines are there, one after another; others may be between them. */
function assertInOrder(lines: readonly string[], wanted: readonly (string | RegExp)[]): void {
  let from = 0;
  for (const one of wanted) {
    const is = (line: string): boolean => (typeof one === 'string' ? line === one : one.test(line));
    const at = lines.findIndex((line, index) => index >= from && is(line));
    assert.ok(at !== -1, `${one} is not after line ${from} of:\n${lines.join('\n')}`);
    from = at + 1;
  }
}

/** What is read of some pages, from the top. */
const read: Record<string, (string | RegExp)[]> = {
  jobs: [
    'heading "Jobs" [level=1]',
    'navigation "Jobs by state"',
    'link "12 all"',
    'link "3 down"',
    'searchbox "Search names and URLs"',
    'heading "Needs attention (3)" [level=2]',
    'list "Needs attention (3)"',
    'text: down',
    'link "Invoices"',
    /^paragraph: "http: 502 for 2 h \d+ m, 3 runs"$/,
    /^text: "?Every hour at :\d\d"?$/,
    /^img "last 30 runs: \d+ success, 3 failed/,
    'button "Run Invoices now"',
    'button "Pause Invoices"',
    'heading "Others, newest first" [level=2]',
    'list "Jobs"',
    'text: up',
    'link "Warm the cache"',
  ],
  job: [
    'heading "Invoices" [level=1]',
    'button "Run now"',
    'button "Pause"',
    'link "Edit"',
    /^paragraph: "Down for 2 h \d+ m: http: 502, 3 runs in a row\. It is called again (?:at|on) /,
    'heading "Next due" [level=2]',
    'columnheader "Europe/Berlin"',
    'heading "What is called" [level=2]',
    'term: Timeout',
    'definition: 30 s for an attempt',
    'heading "Durations" [level=2]',
    'slider "Run"',
    'toolbar "Days"',
    /^link "\w+ \d+ \w+: (\d+ success, )?\d+ failed, median \d+ ms"$/,
    'heading "Runs" [level=2]',
    'text: failed',
    /^text: .*http: 502/,
  ],
  'run-failed': [
    'link "Invoices"',
    /^heading "Run of \w+ \d+ \w+ \d\d:\d\d" \[level=1\]$/,
    'heading "What happened" [level=2]',
    'paragraph: "Failed: the target answered HTTP 502."',
    'group',
    'heading "Times and call" [level=2]',
    'text: on time',
    'heading "Answer 143 bytes" [level=2]',
    'button "Wrap" [pressed]',
    /^region "Body of the answer"/,
    'heading "Receipt" [level=2]',
  ],
  'job-edit': [
    'heading "Edit Nightly backup" [level=1]',
    'textbox "Name": Nightly backup',
    'combobox "Method"',
    'textbox "URL"',
    'group "When"',
    'radio "Cron" [checked]',
    'textbox "Cron expression"',
    'combobox "Time zone": Europe/Paris',
    /^status: At \d\d:30, every day$/, // when the time is near, the demo takes another hour
    'table "Next due times"',
    'group "Headers and body"',
    'group "Headers"',
    'textbox "Body": "{\\"keep\\":21}"',
    'group "Limits, labels and notes"',
    'textbox "Timeout": "60"',
    'button "Save"',
    'link "Cancel"',
  ],
};

test('a screen reader gets pages that make sense', { skip: noPages }, async (t) => {
  const { open } = await viewersOf(t, await sharedDemo());
  for (const shown of pages.filter(({ name }) => Object.hasOwn(read, name))) {
    await t.test(shown.name, async () => {
      const page = await open(shown);
      for (const landmark of ['banner', 'main'] as const) {
        assert.equal(await page.getByRole(landmark).count(), 1, landmark);
      }
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      const others = ['Channels', 'Timetable', 'Trouble', 'Settings'];
      const words = ['Jobs 3 down', 'Monitors 1 down', ...others];
      const shownWords = (await links.allTextContents()).map((text) => text.trim());
      assert.deepEqual(shownWords, words);
      const current = links.and(page.locator('[aria-current=page]'));
      assert.equal(await current.textContent(), words[0]);
      assertInOrder(await readLines(page), read[shown.name] ?? []);
      await page.close();
    });
  }
});
