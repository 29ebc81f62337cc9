/**
 * How fast the pages are in a browser: the first list of a workspace with many jobs beside that of one without any, and the
 * frames while somebody scrolls through many runs beside those of a page that does not scroll. What of it is a fact, and no
 * time, is tested in test/e2e/page/long-lists.test.ts.
 */

import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { makeDemo } from '../test/support/demo/demo.ts';
import { startDemoTarget } from '../test/support/demo/target.ts';
import { serveBuilt } from '../test/e2e/page/running/built.ts';
import type { Built } from '../test/e2e/page/running/built.ts';
import { chromiumPath, noChromium } from '../test/e2e/page/running/chromium.ts';
import { json, median, run, startOutput, table, temporaryDirectory, wholeNumber } from './bench.ts';
import type { OptionsOf } from './bench.ts';

const declared = {
  jobs: wholeNumber('more jobs in the workspace', [1_000, 100, 100_000]),
  runs: wholeNumber('runs of one job', [10_000, 1_000, 1_000_000]),
  rounds: wholeNumber('how often each list is loaded, in turn', [9, 1, 1_000]),
  json,
};
type Options = OptionsOf<typeof declared>;

/** Turns of the wheel. At every second one more runs are asked for, as fast as the rate limit of a session allows. */
const turns = 440;
const turnPx = 400;

/** What the browser takes jobd for. */
const url = 'http://jobs.example.com';

async function signedIn(browser: Browser, jobd: Built, workspace: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const page = await context.newPage();
  await page.goto(await jobd.link('--workspace', workspace));
  await page.waitForURL(({ pathname }) => pathname === '/');
  return page;
}

/** Loads the first page of somebody, in milliseconds until it shows what it has and answers a click. */
async function load(page: Page, shown: string): Promise<number> {
  const began = performance.now();
  await page.goto(`${url}/`, { waitUntil: 'commit' });
  await page.locator(shown).first().waitFor();
  await page.mouse.move(5, 5);
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  return performance.now() - began;
}

/** Begins to note the times between frames. */
const noteFrames = `
  times = [];
  let last = performance.now();
  const note = (now) => {
    times.push(now - last);
    last = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
`;

/** The 95th percentile of the times between frames while `act` works, in milliseconds. */
async function frames(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(noteFrames);
  await act();
  const times = await page.evaluate<number[]>('times');
  const sorted = times.slice(1).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}

async function main(options: Options): Promise<void> {
  if (noChromium !== false) throw new Error(noChromium);
  const { jobs, runs, rounds } = options;
  const output = startOutput(options.json, { jobs, runs, rounds });
  using directory = temporaryDirectory();
  await using target = await startDemoTarget();
  const demo = await makeDemo(directory.path, {
    nowMs: Date.now(),
    targetUrl: target.url,
    extraJobs: jobs,
    runsOfOneJob: runs,
  });
  await using jobd = await serveBuilt(directory.path, url);
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [`--host-resolver-rules=MAP ${new URL(url).hostname}:80 ${jobd.host}`],
  });
  await using parts = new AsyncDisposableStack();
  parts.defer(() => browser.close());

  const [many, none] = [
    await signedIn(browser, jobd, 'default'),
    await signedIn(browser, jobd, 'staging'),
  ];
  const listMs = { many: [] as number[], none: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    listMs.many.push(await load(many, '.rows > li'));
    listMs.none.push(await load(none, 'main h1'));
  }

  await many.goto(`${url}/jobs/${demo.busyJob}`);
  const more = many.getByRole('button', { name: 'Show more' });
  await more.waitFor();
  await many.mouse.move(600, 400);
  const wheel = async (eachTurn: (turn: number) => Promise<void>): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      await many.mouse.wheel(0, turnPx);
      await eachTurn(turn);
    }
  };
  const frameMs = {
    atRest: await frames(none, () => none.waitForTimeout(3_000)),
    loading: await frames(many, () =>
      wheel(async (turn) => {
        if (turn % 2 === 1 && (await more.isVisible())) await more.click();
      }),
    ),
    scrolling: 0,
  };
  await many.evaluate('scrollTo(0, 0)');
  frameMs.scrolling = await frames(many, () => wheel(async () => {}));
  const shown = await many.locator('.rows > li').count();

  const [manyMs, noneMs] = [median(listMs.many), median(listMs.none)];
  output.text(
    table([
      ['', 'ms', 'ratio'],
      ['first page without jobs', noneMs.toFixed(0), ''],
      [`first page of ${jobs} jobs`, manyMs.toFixed(0), (manyMs / noneMs).toFixed(2)],
      ['frames at rest, p95', frameMs.atRest.toFixed(1), ''],
      ...(['loading', 'scrolling'] as const).map((how) => [
        `frames ${how} ${shown} runs, p95`,
        frameMs[how].toFixed(1),
        (frameMs[how] / frameMs.atRest).toFixed(2),
      ]),
    ]),
  );
  output.document({ listMs, frameMs, shown });
}

await run('page', 'how fast the pages are in a browser', declared, main);
