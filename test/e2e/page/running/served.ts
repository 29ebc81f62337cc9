/** jobd's pages in a browser: a served jobd, and people who sign in to it. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { temporaryDirectory } from '../../../support/directory.ts';
import { person, type Person } from './browser.ts';
import { noChromium } from './chromium.ts';
import { allTests } from './lasting.ts';
import { makeDemo, type Demo, type DemoOptions } from '../../../support/demo/demo.ts';
import { startDemoTarget } from '../../../support/demo/target.ts';
import { jobd, notPackaged, serve, type Serving } from '../../../support/running/executable.ts';
import { bearer, send } from '../../../support/running/send.ts';

/** Why tests of pages cannot run, or false. */
export const noPages = notPackaged || noChromium;

export interface ServedPages extends Serving {
  dataDir: string;
  /** A key of the default workspace that may write. */
  key: string;
  /** Runs a command on its data directory. Fails if the command does. Resolves with what it printed. */
  command: (...words: string[]) => Promise<string>;
  /** A link that signs in, as `jobd open` prints it. */
  link: (...options: string[]) => Promise<string>;
}

/** Starts the packaged jobd. It may call 127.0.0.1, has `more` options, and ends with the test. */
export async function servePages(t: TestContext, ...more: string[]): Promise<ServedPages> {
  return await servePagesIn(t, temporaryDirectory(t), ...more);
}

/** The same for a data directory that was prepared. */
export async function servePagesIn(
  t: TestContext,
  dataDir: string,
  ...more: string[]
): Promise<ServedPages> {
  const served = await serveDirectory(t, dataDir, more);
  return { ...served, key: await served.command('key', 'create') };
}

/** A served demo (test/support/demo): its frequent jobs call a target of its own. */
export interface ServedDemo extends ServedPages {
  demo: Demo;
}

/** For so long nothing becomes due in a demo but what calls its own target. */
const freshMs = 10 * 60_000;
let shared: { demo: Promise<ServedDemo>; madeAt: number } | undefined;

/** The demo of all tests that change nothing which the others look at; it ends after the last test of the process. */
export async function sharedDemo(): Promise<ServedDemo> {
  const now = Date.now();
  if (shared === undefined || Math.abs(now - shared.madeAt) > freshMs) {
    shared = { demo: serveDemo(allTests), madeAt: now };
  }
  return await shared.demo;
}

/** Makes a demo that ends now, and starts the packaged jobd on it. Both end with the test. */
export async function serveDemo(
  t: Pick<TestContext, 'after'>,
  options: Omit<DemoOptions, 'nowMs' | 'targetUrl'> = {},
): Promise<ServedDemo> {
  const dataDir = temporaryDirectory(t);
  const target = await startDemoTarget();
  t.after(() => target[Symbol.asyncDispose]());
  const demo = await makeDemo(dataDir, { nowMs: Date.now(), targetUrl: target.url, ...options });
  return { ...(await serveDirectory(t, dataDir, [])), demo, key: demo.key };
}

async function serveDirectory(
  t: Pick<TestContext, 'after'>,
  dataDir: string,
  more: readonly string[],
): Promise<Omit<ServedPages, 'key'>> {
  const options = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', ...more];
  const serving = await serve(t, options, dataDir);
  const command = async (...words: string[]): Promise<string> => {
    const ran = await jobd([...words, '--data', dataDir]);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.stdout.trim();
  };
  return {
    ...serving,
    dataDir,
    command,
    link: async (...words) => {
      const printed = await command('open', ...words);
      return /^http\S+#code=\S+$/m.exec(printed)?.[0] ?? assert.fail(`no link: ${printed}`);
    },
  };
}

/** Types a key into the sign-in page and waits for the home page. */
export async function signInWith(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Somebody who has signed in with the key, and their first tab. */
export async function signedIn(
  t: TestContext,
  { url, key }: ServedPages,
): Promise<Person & { page: Page }> {
  const somebody = await person(t);
  const page = await somebody.open(url);
  await signInWith(page, key);
  return { ...somebody, page };
}

/** Asserts that the page is the sign-in page. */
export async function assertSignedOut(page: Page): Promise<void> {
  await page.getByLabel('API key').waitFor();
  await page.waitForURL(({ pathname }) => pathname === '/sign-in');
}

/** Adds a job. Its target is a port where nobody answers, unless `url` says otherwise. Resolves with its id. */
export async function addJob(
  { url: site, key }: ServedPages,
  name: string,
  url = 'http://127.0.0.1:9/',
): Promise<string> {
  const { job } = await call<{ job: { id: string } }>({ url: site, key }, 'POST', '/jobs', {
    name,
    url,
    cronExpr: '0 0 1 1 *',
  });
  return job.id;
}

/** Asks the API with the key. Fails if the answer is no success. */
export async function call<T>(
  { url, key }: Pick<ServedPages, 'url' | 'key'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await send(`${url}/api/v1${path}`, method, body, bearer(key));
  const answer: unknown = await response.json();
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as T;
}

/** Goes to the settings by the bar, and waits for what this session may do. */
export async function openSettings(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Settings' })
    .click();
  await page.getByText(/^may /).waitFor();
}
