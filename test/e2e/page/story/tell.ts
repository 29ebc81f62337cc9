/** A day with a job, by keyboard alone: created, tried, watched, broken, alerted, explained, fixed, proven. */

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { startTarget, type Target } from '../../../support/fakes/target.ts';

/** What the job of the story calls, and where its alerts arrive. */
export interface StoryTarget extends Target {
  /** Whether the report fails as behind a proxy without an application. */
  isBroken: boolean;
  /** Resolves when an alert of a failure has come. */
  alerted: Promise<void>;
}

export interface Story {
  /** The sign-in page, or a page of somebody who has signed in. */
  page: Page;
  target: StoryTarget;
  /** A key that may write; null if somebody has signed in. */
  key: string | null;
  /** Called at each step with its name. */
  picture: (name: string) => Promise<void>;
  /** Called where a minute would be waited for: until the job is due, and until it may be run by hand again. */
  hurry?: () => Promise<void>;
}

/** Starts the target of a story. */
export async function startStoryTarget(): Promise<StoryTarget> {
  const alerted = Promise.withResolvers<void>();
  const state = { isBroken: false, alerted: alerted.promise };
  const badGateway = '<html><head><title>502 Bad Gateway</title></head></html>\n';
  const target = await startTarget((request, response) => {
    request.resume();
    if (request.url === '/alerts') {
      alerted.resolve();
      response.writeHead(204).end();
    } else if (state.isBroken) response.writeHead(502).end(badGateway);
    else response.end('{"report":"month-end","rows":9007199254740993,"sent":true}');
  });
  return Object.assign(state, target);
}

/** The steps that have a picture, in order. */
export const steps = [
  'day-1-pasted',
  'day-2-tried',
  'day-3-watched',
  'day-4-broken',
  'day-5-alerted',
  'day-6-explained',
  'day-7-fixed',
  'day-8-proven',
] as const;

const jobName = 'Month-end report';
/** A run that waits for its minute, or for the next run by hand that is allowed. */
const overAMinute = { timeout: 75_000 };

/** Tells it. Ends signed out. */
export async function tellStory({ page, target, key, picture, hurry }: Story): Promise<void> {
  const { keyboard } = page;
  const main = page.getByRole('main');
  if (key !== null) {
    await keyboard.type(key);
    await keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await headed(page, /^(Jobs|No jobs yet)$/);

  await keyboard.press('n');
  await headed(page, /^New job$/);
  await tabTo(page, page.getByLabel('Paste a curl command, or a line of a crontab'));
  await keyboard.insertText(
    `* * * * * curl -fsS -X POST ${target.url}/report -H 'X-Tenant: 7' --json '{"month":"last"}'`,
  );
  await keyboard.press('Control+Enter');
  await main.getByText(/^Filled in: /).waitFor();
  await tabTo(page, page.getByLabel('Name', { exact: true }), 'Shift+Tab', 'Tab');
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type(jobName);
  await main.getByText('Every minute', { exact: true }).waitFor();
  await picture('day-1-pasted');
  await tabTo(page, page.getByRole('button', { name: 'Save paused and run once' }));
  await keyboard.press('Enter');
  await main.getByText(/^Success: the target answered HTTP 200/).waitFor();
  await picture('day-2-tried');

  await keyboard.press('g');
  await keyboard.press('c');
  await headed(page, /^(Channels|No channels yet)$/);
  await tabTo(page, page.getByRole('link', { name: 'New channel' }));
  await keyboard.press('Enter');
  await headed(page, /^New channel$/);
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await keyboard.type('Operations');
  await tabTo(page, page.getByLabel('Type', { exact: true }));
  await keyboard.type('Webhook');
  await tabTo(page, page.getByLabel('URL', { exact: true }));
  await keyboard.type(`${target.url}/alerts`);
  await tabTo(page, page.getByRole('button', { name: 'Save', exact: true }));
  await keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Keep the signing secret').waitFor();
  await tabTo(page, page.getByRole('button', { name: 'I have kept it' }));
  await keyboard.press('Enter');
  await headed(page, /^Operations$/);

  await keyboard.press('g');
  await keyboard.press('j');
  await headed(page, /^Jobs$/);
  const name = page.getByRole('link', { name: jobName, exact: true });
  await name.first().waitFor();
  for (let rows = 0; rows < 60 && !(await isFocused(name)); rows += 1) await keyboard.press('j');
  const row = page.locator('.row', { has: name });
  await keyboard.press('p');
  await row.getByRole('button', { name: `Pause ${jobName}` }).waitFor();
  await picture('day-3-watched');
  const states = page.getByRole('navigation', { name: 'Jobs by state' }).getByRole('link');
  const down = states.filter({ hasText: / down$/ });
  const before = (await down.textContent()) ?? '';
  target.isBroken = true;
  await hurry?.();
  // The focus leaves the rows, so they may move.
  await keyboard.press('/');
  const attention = page.getByRole('list', { name: /Needs attention/ });
  await attention.getByText(jobName, { exact: true }).waitFor(overAMinute);
  await page.waitForFunction(() => /^\(\d+\) Jobs/.test(document.title));
  await down.filter({ hasNotText: before }).waitFor();
  await picture('day-4-broken');

  await target.alerted;
  await keyboard.press('Escape');
  await tabTo(page, page.getByRole('link', { name: 'Channels' }), 'Shift+Tab');
  await keyboard.press('Enter');
  await headed(page, /^Channels$/);
  await tabTo(page, page.getByRole('link', { name: 'Operations', exact: true }));
  await keyboard.press('Enter');
  await headed(page, /^Operations$/);
  await main.getByText('A job failed').first().waitFor();
  await picture('day-5-alerted');

  await keyboard.press('g');
  await keyboard.press('t');
  await headed(page, /^Trouble$/);
  await tabTo(page, main.getByRole('link', { name: /http: 502/ }));
  await keyboard.press('Enter');
  await main.getByText(/the target answered HTTP 502/).waitFor();
  await picture('day-6-explained');

  target.isBroken = false;
  await hurry?.();
  // A job may be run by hand once a minute.
  const again = page.getByRole('button', { name: 'Run again', exact: true });
  const success = main.getByText(/^Success: the target answered HTTP 200/);
  // At a full minute its schedule may be calling it: then it is refused, and asked again.
  for (let tries = 0; tries < 5 && !(await success.isVisible()); tries += 1) {
    await again.waitFor(overAMinute);
    await tabTo(page, again, 'Tab', 'Shift+Tab');
    await keyboard.press('Enter');
    await success.waitFor({ timeout: 8_000 }).catch(() => null);
  }
  await success.waitFor();
  await tabTo(page, main.getByRole('link', { name: jobName, exact: true }));
  await keyboard.press('Enter');
  await headed(page, new RegExp(`${jobName}$`));
  await main.getByText(/^Up/).waitFor();
  await picture('day-7-fixed');

  await tabTo(page, main.getByRole('list', { name: 'Runs' }).getByRole('link').first());
  await keyboard.press('Enter');
  await headed(page, /^Run of /);
  const check = page.getByRole('button', { name: 'Check in this browser' });
  await tabTo(page, check);
  await keyboard.press('Enter');
  await main.getByText(/^Valid for the key/).waitFor();
  await picture('day-8-proven');

  await tabTo(page, page.getByRole('button', { name: 'Sign out' }), 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByText('You are signed out.').waitFor();
}

/** Waits for the heading of a page, which has the focus. */
async function headed(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Presses a key until one of the elements has the focus; first one way, then the other. */
async function tabTo(page: Page, wanted: Locator, ...keys: ('Tab' | 'Shift+Tab')[]): Promise<void> {
  await wanted.first().waitFor();
  for (const key of keys.length === 0 ? (['Tab'] as const) : keys) {
    for (let presses = 0; presses < 120; presses += 1) {
      if (await isFocused(wanted)) return;
      await page.keyboard.press(key);
    }
  }
  assert.fail(`the keyboard does not reach ${wanted.toString()}`);
}

async function isFocused(wanted: Locator): Promise<boolean> {
  return await wanted.evaluateAll((elements) =>
    elements.some((one) => one === document.activeElement),
  );
}
