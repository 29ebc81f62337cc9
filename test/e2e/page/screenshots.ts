/**
 * `npm run screenshots`: builds jobd, serves a demo, and writes a picture of every page to dist/screenshots, to be looked at; those
 * that docs show, to docs/images, too.
 */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { makeDemo, type Demo } from '../../support/demo/demo.ts';
import { startDemoTarget } from '../../support/demo/target.ts';
import { pages, pictureName, themes, windows, type ShownPage } from './pages.ts';
import { build, serveBuilt, type Built } from './running/built.ts';
import { chromiumPath, noChromium } from './running/chromium.ts';
import { startStoryTarget, tellStory } from './story/tell.ts';
import { followRequests, untilQuiet } from './running/quiet.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const images = join(root, 'docs', 'images');
const seen = join(root, 'dist', 'screenshots');
/** What the browser takes jobd for, so that pictures show the same name each time. */
const siteUrl = 'http://jobs.example.com';
/** Of a longer page the rest is left out. */
const highest = 1_600;

type Viewer = NonNullable<ShownPage['by']>;
type State = NonNullable<BrowserContextOptions['storageState']>;

/** Signs in everybody who looks at a page. */
async function signInAll(browser: Browser, jobd: Built): Promise<Record<Viewer, State>> {
  const signIn = async (workspace: string): Promise<State> => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(await jobd.link('--workspace', workspace));
    await page.waitForURL(({ pathname }) => pathname === '/');
    const state = await context.storageState();
    await context.close();
    return state;
  };
  return {
    owner: await signIn('default'),
    newcomer: await signIn('staging'),
    fleet: await signIn('fleet'),
    nobody: { cookies: [], origins: [] },
  };
}

const fixed = { locale: 'en-GB', timezoneId: 'Europe/Paris', reducedMotion: 'reduce' } as const;

/** A picture of a page from its top. The window is as high as the picture: rows out of sight are not drawn. */
async function pictureOf(page: Page): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? windows[0];
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(Math.max(whole, height), highest) });
  await untilQuiet(page);
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
  await page.setViewportSize({ width, height });
  return picture;
}

/** Takes the pictures of the day with a job. */
async function takeDay(browser: Browser, jobd: Built): Promise<Map<string, Buffer>> {
  await using target = await startStoryTarget();
  const pictures = new Map<string, Buffer>();
  const context = await browser.newContext({ ...fixed, viewport: windows[0] });
  followRequests(context);
  const page = await context.newPage();
  await page.goto(await jobd.link());
  const picture = async (name: string): Promise<void> => {
    await untilQuiet(page);
    pictures.set(`${name}.png`, await pictureOf(page));
  };
  await tellStory({ page, target, key: null, picture });
  await context.close();
  return pictures;
}

/** Takes all pictures. Returns their bytes by name. */
async function takeAll(browser: Browser, jobd: Built, demo: Demo): Promise<Map<string, Buffer>> {
  const pictures = new Map<string, Buffer>();
  for (const colorScheme of themes) {
    for (const viewport of windows) {
      // Each with sessions of its own: one may ask 300 times a minute.
      const states = await signInAll(browser, jobd);
      for (const [by, storageState] of Object.entries(states)) {
        const how = { ...fixed, colorScheme, viewport, storageState, deviceScaleFactor: 1 };
        const context = await browser.newContext(how);
        followRequests(context);
        for (const shown of pages.filter((one) => (one.by ?? 'owner') === by)) {
          const page = await context.newPage();
          let isLimited = false;
          page.on('response', (response) => (isLimited ||= response.status() === 429));
          await page.goto(`${siteUrl}${shown.path(demo)}`);
          await untilQuiet(page);
          await shown.prepare?.(page);
          const name = pictureName(shown, colorScheme, viewport.width);
          pictures.set(name, await pictureOf(page));
          if (isLimited) throw new Error(`${name} shows a refusal: too many requests`);
          await page.close();
        }
        await context.close();
      }
    }
  }
  return pictures;
}

async function main(): Promise<void> {
  if (noChromium !== false) throw new Error(noChromium);
  await build();
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'jobd-demo-'));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const target = parts.use(await startDemoTarget());
  const demo = await makeDemo(dataDir, { nowMs: Date.now(), targetUrl: target.url });
  const jobd = parts.use(await serveBuilt(dataDir, siteUrl));
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [`--host-resolver-rules=MAP ${new URL(siteUrl).hostname}:80 ${jobd.host}`],
  });
  parts.defer(() => browser.close());
  const ofPages = await takeAll(browser, jobd, demo);
  const pictures = new Map([...ofPages, ...(await takeDay(browser, jobd))]);
  mkdirSync(seen, { recursive: true });
  const shown = readdirSync(images);
  for (const [name, picture] of pictures) {
    writeFileSync(join(seen, name), picture);
    if (shown.includes(name)) writeFileSync(join(images, name), picture);
  }
  process.stdout.write(`${pictures.size} pictures in ${seen}\n`);
}

await main();
