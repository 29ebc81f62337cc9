/** Every page, with a demo to look at: for pictures, and for what each page must fulfil. */

import type { Page } from 'playwright-core';
import type { Demo } from '../../support/demo/demo.ts';

export interface ShownPage {
  /** In the names of its pictures. */
  name: string;
  /** Its address, below that of the site. */
  path: (demo: Demo) => string;
  /** Who looks: the owner by default, the owner of a workspace without jobs, or of one with many, or nobody. */
  by?: 'owner' | 'newcomer' | 'fleet' | 'nobody';
  /** What to do before the page is looked at. */
  prepare?: (page: Page) => Promise<void>;
}

export const pages: readonly ShownPage[] = [
  { name: 'sign-in', path: () => '/sign-in', by: 'nobody' },
  { name: 'jobs', path: () => '/' },
  { name: 'jobs-down', path: () => '/?status=down' },
  { name: 'jobs-empty', path: () => '/', by: 'newcomer' },
  { name: 'job', path: ({ jobs }) => `/jobs/${jobs.invoices}` },
  { name: 'run-failed', path: ({ jobs, runs }) => `/jobs/${jobs.invoices}/runs/${runs.failed}` },
  { name: 'run-success', path: ({ jobs, runs }) => `/jobs/${jobs.rates}/runs/${runs.success}` },
  { name: 'job-new', path: () => '/jobs/new' },
  { name: 'job-edit', path: ({ jobs }) => `/jobs/${jobs.nightlyBackup}/edit` },
  { name: 'monitors', path: () => '/monitors' },
  { name: 'monitor', path: ({ monitors }) => `/monitors/${monitors.dump}` },
  { name: 'monitor-new', path: () => '/monitors/new' },
  { name: 'channels', path: () => '/channels' },
  { name: 'channel', path: ({ channels }) => `/channels/${channels.teamChat}` },
  { name: 'channel-new', path: () => '/channels/new' },
  { name: 'timetable', path: () => '/timetable', by: 'fleet' },
  { name: 'timetable-week', path: () => '/timetable?zoom=7d', by: 'fleet' },
  { name: 'trouble', path: () => '/trouble' },
  { name: 'audit', path: () => '/audit' },
  { name: 'settings', path: () => '/settings' },
  { name: 'docs', path: () => '/docs' },
];

export const themes = ['light', 'dark'] as const;

/** Windows to look through, in CSS pixels. */
export const windows = [
  { width: 1_200, height: 800 },
  { width: 360, height: 740 },
] as const;

/** The name of the picture of a page. */
export function pictureName(
  { name }: Pick<ShownPage, 'name'>,
  theme: (typeof themes)[number],
  width: number,
): string {
  return `${name}-${theme}-${width}.png`;
}
