/** A real Chromium without a window, shared by all tests of the process. */

import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { seed, seededRandom } from '../../../support/dice.ts';
import { chromiumPath } from './chromium.ts';
import { allTests } from './lasting.ts';
import { followRequests } from './quiet.ts';

/** Every name below `.test` is this machine. Browsers trust only loopback addresses and `localhost` without https, so these stand for a LAN. */
const resolverRules = '--host-resolver-rules=MAP *.test 127.0.0.1';

/** Answers come late by up to as many milliseconds. */
const longestMs = Number(process.env['JOBD_TEST_LATE_ANSWERS'] ?? 0);
const random = seededRandom(seed);

let running: Promise<Browser> | undefined;

/** The browser; it starts when the first test needs it. */
function browser(): Promise<Browser> {
  running ??= start();
  return running;
}

async function start(): Promise<Browser> {
  const started = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [resolverRules],
  });
  allTests.after(() => started.close());
  return started;
}

/** A person with an own set of cookies. */
export interface Person {
  context: BrowserContext;
  /** What the policy of a page stopped, and errors of its script. Tests that expect none compare it with []. */
  complaints: string[];
  /** Opens a tab. */
  open: (url: string) => Promise<Page>;
}

/** Somebody who uses the browser; their tabs are closed with the test. */
export async function person(t: TestContext, options: BrowserContextOptions = {}): Promise<Person> {
  const context = await (await browser()).newContext({ locale: 'en-GB', ...options });
  t.after(async () => {
    // Answers that a test gives itself may be under way when it ends.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  context.setDefaultTimeout(60_000);
  followRequests(context);
  await answerLate(context);
  const complaints: string[] = [];
  await context.exposeFunction('complain', (what: string) => void complaints.push(what));
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const { complain } = globalThis as unknown as { complain: (what: string) => void };
      complain(`${violatedDirective}: ${blockedURI}`);
    });
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return {
    context,
    complaints,
    open: async (url) => {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
  };
}

/** Lets the answers that a page asks for come late, at random, if `npm run test:stress -- --late-answers` asks for it. */
async function answerLate(context: BrowserContext): Promise<void> {
  if (longestMs === 0) return;
  await context.route('**/api/v1/**', async (route) => {
    if (!route.request().url().endsWith('/events')) await setTimeout(random() * longestMs);
    await route.fallback();
  });
}
