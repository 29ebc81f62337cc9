/** What opens over a page, or in it, when somebody presses something: dialogs, menus, refusals. */

import type { Locator, Page } from 'playwright-core';
import type { ShownPage } from './pages.ts';

export interface Opened extends Pick<ShownPage, 'name' | 'path' | 'by'> {
  /** Opens it by keyboard. */
  prepare: (page: Page) => Promise<void>;
  /** Whether it is a dialog, and what closes it: Escape, or a button. */
  closes?: 'Escape' | (string & {});
  /** What has the focus after that; the heading if nothing is named. */
  opener?: (page: Page) => Locator;
}

/** Presses a button as the keyboard does. */
async function press(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'switch' = 'button',
): Promise<void> {
  await page
    .getByRole(role, { name, exact: typeof name === 'string' })
    .first()
    .press('Enter');
}

/** Opens the menu of a page, and chooses from it. */
async function choose(page: Page, menu: RegExp | string, action?: string): Promise<void> {
  await page.locator('summary', { hasText: '⋯' }).and(page.getByLabel(menu)).first().press('Enter');
  if (action !== undefined) await press(page, action);
}

const dialog = (page: Page) => page.getByRole('dialog').waitFor();

export const opened: readonly Opened[] = [
  {
    name: 'keyboard help',
    path: () => '/',
    prepare: async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    },
    closes: 'Escape',
  },
  {
    name: 'the palette',
    path: ({ jobs }) => `/jobs/${jobs.invoices}`,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Run now' }).waitFor();
      await page.keyboard.type('warm');
      await page.getByRole('option', { name: 'Warm the cache job' }).waitFor();
    },
    closes: 'Escape',
  },
  {
    name: 'deleting selected jobs',
    path: () => '/?order=name',
    prepare: async (page) => {
      await press(page, 'Select');
      await page.getByLabel('Select Invoices').first().press('Space');
      await page.getByLabel('Select Export orders').first().press('Space');
      await page
        .getByRole('region', { name: 'Selected jobs' })
        .getByRole('button', { name: 'Delete' })
        .press('Enter');
      await dialog(page);
    },
    closes: 'Cancel',
    opener: (page) =>
      page.getByRole('region', { name: 'Selected jobs' }).getByRole('button', { name: 'Delete' }),
  },
  {
    name: 'the menu of a job',
    path: ({ jobs }) => `/jobs/${jobs.invoices}`,
    prepare: (page) => choose(page, 'More actions'),
  },
  {
    name: 'a job as curl',
    path: ({ jobs }) => `/jobs/${jobs.invoices}`,
    prepare: async (page) => {
      await choose(page, 'More actions', 'Copy as curl');
      await dialog(page);
    },
    closes: 'Close',
    opener: (page) => page.getByLabel('More actions'),
  },
  {
    name: 'deleting a job',
    path: ({ jobs }) => `/jobs/${jobs.invoices}`,
    prepare: async (page) => {
      await choose(page, 'More actions', 'Delete');
      await dialog(page);
    },
    closes: 'Escape',
    opener: (page) => page.getByLabel('More actions'),
  },
  {
    name: 'the call of a run as curl',
    path: ({ jobs, runs }) => `/jobs/${jobs.invoices}/runs/${runs.failed}`,
    prepare: async (page) => {
      await press(page, 'Copy as curl');
      await dialog(page);
    },
    closes: 'Escape',
    opener: (page) => page.getByRole('button', { name: 'Copy as curl' }),
  },
  {
    name: 'the editor with an error',
    path: () => '/jobs/new',
    prepare: async (page) => {
      await press(page, 'Save');
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'deleting a channel',
    path: ({ channels }) => `/channels/${channels.teamChat}`,
    prepare: async (page) => {
      await choose(page, 'More actions', 'Delete');
      await dialog(page);
    },
    closes: 'Escape',
    opener: (page) => page.getByLabel('More actions'),
  },
  {
    name: 'switching a channel off',
    path: ({ channels }) => `/channels/${channels.teamChat}`,
    prepare: async (page) => {
      await press(page, /^Alerts to/, 'switch');
      await dialog(page);
    },
    closes: 'Cancel',
    opener: (page) => page.getByRole('switch', { name: /^Alerts to/ }),
  },
  {
    name: 'attempts of a delivery',
    path: ({ channels }) => `/channels/${channels.teamChat}`,
    prepare: async (page) => {
      await page.locator('.delivery summary').first().press('Enter');
      await page.locator('.attempts li').first().waitFor();
    },
  },
  {
    name: 'a new key',
    path: () => '/settings',
    prepare: async (page) => {
      await press(page, 'New key');
      await dialog(page);
    },
    closes: 'Escape',
    opener: (page) => page.getByRole('button', { name: 'New key' }),
  },
  {
    name: 'the secret of a new key',
    path: () => '/settings',
    prepare: async (page) => {
      await press(page, 'New key');
      await page.getByLabel('Name', { exact: true }).fill('tablet');
      await page.keyboard.press('Enter');
      await page.getByText('It is shown only this once').waitFor();
    },
    closes: 'I have kept it',
    opener: (page) => page.getByRole('button', { name: 'New key' }),
  },
  {
    name: 'revoking a key',
    path: () => '/settings',
    prepare: async (page) => {
      await press(page, /^Revoke/);
      await dialog(page);
    },
    closes: 'Escape',
    opener: (page) => page.getByRole('button', { name: /^Revoke/ }).first(),
  },
  {
    name: 'where a change came from',
    path: () => '/audit',
    prepare: (page) => page.locator('.audit summary').first().press('Enter'),
  },
  {
    name: 'a job that there is not',
    path: () => '/jobs/none',
    prepare: (page) => page.getByText('There is no such job.').first().waitFor(),
  },
];
