/** Texts that mean harm, wherever people or targets write: they stay text, are seen as what they are, and break no page. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { assertFits } from './running/accessible.ts';
import { person } from './running/browser.ts';
import { untilQuiet } from './running/quiet.ts';
import { call, noPages, servePages, type ServedPages } from './running/served.ts';

/** Names, each with how it begins where it is shown. */
const names: readonly (readonly [name: string, shown: string])[] = [
  ['<script>hacked=1</script>', '<script>hacked=1</script>'],
  ['<img src=x onerror="hacked=1">', '<img src=x onerror="hacked=1">'],
  [
    '\u202e\u2066\u0007\u001b[2J\u0085\u200f'.padEnd(120, '\u202etxt'),
    String.raw`\u202e\u2066\u0007\u001b[2J`,
  ],
  ['Zalgo '.padEnd(120, '\u0301\u0324\u0489'), 'Zalgo'],
  ['👩‍👩‍👧‍👦🏴‍☠️🧑🏽‍🚀'.repeat(5), '👩‍👩‍👧‍👦🏴‍☠️🧑🏽‍🚀'],
  ['W'.repeat(120), 'WWWW'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
];

/** What a target answers at an address. */
const answers: Readonly<Record<string, [status: number, type: string, body: string | Buffer]>> = {
  '/html': [
    200,
    'text/html',
    '<!doctype html><script>hacked=1</script><img src=x onerror=hacked=1>',
  ],
  '/json': [
    200,
    'application/json',
    '{"__proto__":{"admin":true},"big":9007199254740993,"__proto__":"\u202ekcab"}',
  ],
  '/controls': [200, 'text/plain', '\u0000\u001b[2J\u0007\u0008\u202e\u2066\u0085'.repeat(400)],
  '/invalid': [
    200,
    'text/plain',
    Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x3c, 0x62, 0x3e]),
  ],
  '/moved': [302, 'text/html', '<b>moved</b>'],
  '/broken': [500, 'text/html', '<script>hacked=1</script>\u202e'],
};

/** Headers that no prototype may swallow. The API takes no `__proto__`. */
const headers = { constructor: 'a', toString: 'b', ['X-'.padEnd(200, 'Long')]: 'c' };

interface Made {
  jobIds: string[];
  monitorIds: string[];
  channelIds: string[];
  /** Of jobs whose targets answer something, by the path of the target. */
  runs: Record<string, { jobId: string; runId: string }>;
}

/** Makes one of everything with each name, and runs a job against each answer. */
async function makeAll(jobd: ServedPages, targetUrl: string): Promise<Made> {
  const made: Made = { jobIds: [], monitorIds: [], channelIds: [], runs: {} };
  const schedule = { cronExpr: '0 0 1 1 *' };
  const notes = `${names.map(([name]) => name).join('\n')}\n<b>bold</b>`;
  const longUrl = `https://example.com/?q=${'\u202e<b>&'.repeat(500)}`.slice(0, 2_000);
  for (const [name] of names) {
    const fields = { ...schedule, name, url: longUrl, method: 'POST', headers, body: notes, notes };
    const { job } = await call<{ job: { id: string } }>(jobd, 'POST', '/jobs', fields);
    const monitor = { name, notes, ...schedule };
    const {
      monitor: { id },
    } = await call<{ monitor: { id: string } }>(jobd, 'POST', '/monitors', monitor);
    const config = { url: `${targetUrl}/html` };
    const { channel } = await call<{ channel: { id: string } }>(jobd, 'POST', '/channels', {
      name,
      type: 'webhook',
      config,
      jobIds: [job.id],
      monitorIds: [id],
    });
    made.jobIds.push(job.id);
    made.monitorIds.push(id);
    made.channelIds.push(channel.id);
  }
  for (const [index, path] of Object.keys(answers).entries()) {
    const fields = { ...schedule, name: names[index % names.length]![0], url: targetUrl + path };
    const { job } = await call<{ job: { id: string } }>(jobd, 'POST', '/jobs', fields);
    const { run } = await call<{ run: { id: string } }>(jobd, 'POST', `/jobs/${job.id}/run`);
    made.runs[path] = { jobId: job.id, runId: run.id };
    await until('the end of a run', async () => {
      const at = `/jobs/${job.id}/runs/${run.id}`;
      const { run: now } = await call<{ run: { status: string } }>(jobd, 'GET', at);
      return now.status === 'success' || now.status === 'failed';
    });
  }
  return made;
}

/** What nobody sees, or what turns other text around. */
const hidden =
  // oxlint-disable-next-line no-control-regex -- this looks for control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Asserts that a page is what the program made it: no markup, no raw control character, no sideways scroll. */
async function assertHarmless(page: Page): Promise<void> {
  await assertFits(page, page.url());
  const found = await page.evaluate(() => ({
    isHacked: 'hacked' in globalThis,
    markup: [...document.querySelectorAll('body :is(img, script, style, iframe, base, object)')]
      .length,
    isPolluted: 'admin' in {},
    text: `${document.title}\n${document.body.innerText}`,
    bold: [...document.querySelectorAll('b')].filter((one) => one.textContent === 'bold').length,
  }));
  assert.equal(found.isHacked, false);
  assert.equal(found.isPolluted, false);
  assert.deepEqual([found.markup, found.bold], [0, 0]);
  const raw = hidden.exec(found.text);
  const around =
    raw && JSON.stringify(found.text.slice(Math.max(0, raw.index - 60), raw.index + 30));
  assert.equal(raw, null, `${page.url()} shows a control character: ${around}`);
}

/** A person at a narrow window who may do everything, and who opens pages. */
async function atHome(t: TestContext, jobd: ServedPages, workspace: string) {
  const { open, complaints } = await person(t, { viewport: { width: 360, height: 740 } });
  const page = await open(await jobd.link('--workspace', workspace));
  await page.waitForURL(({ pathname }) => pathname === '/');
  const goTo = async (path: string): Promise<void> => {
    await page.goto(jobd.url + path);
    await untilQuiet(page);
  };
  return { page, goTo, complaints };
}

describe('hostile texts', { skip: noPages }, () => {
  test('stay text on every page', async (t) => {
    const sink = await startSink(t, (response, { path }) => {
      const [status, type, body] = answers[path] ?? [404, 'text/plain', ''];
      const location = path === '/moved' ? { location: 'http://x/<script>hacked=1</script>' } : {};
      response.writeHead(status, { 'content-type': type, ...location }).end(body);
    });
    const jobd = await servePages(t);
    const workspace = '<img src=x onerror=hacked=1>\u202e';
    await jobd.command('workspace', 'create', workspace);
    for (const [name] of names) {
      await jobd.command('key', 'create', '--workspace', workspace, `--name=${name}`);
    }
    const key = await jobd.command('key', 'create', '--workspace', workspace);
    const made = await makeAll({ ...jobd, key }, sink.url);
    let { page, goTo, complaints } = await atHome(t, jobd, workspace);
    /** Another session, before this one has used up its requests. */
    const comeAgain = async (): Promise<void> => {
      assert.deepEqual(complaints, []);
      ({ page, goTo, complaints } = await atHome(t, jobd, workspace));
    };

    await t.test('a header named __proto__ is refused in words', async () => {
      await goTo('/jobs/new');
      await page.getByLabel('Name', { exact: true }).fill('__proto__');
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/');
      await page.getByLabel('Cron expression', { exact: true }).fill('@daily');
      await page.getByText('Headers and body').click();
      await page.getByRole('button', { name: 'Add a header' }).click();
      await page.getByLabel('Name of header 1').fill('__proto__');
      await page.getByLabel('Value of __proto__').fill('x');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('must not have a key __proto__').first().waitFor();
      await assertHarmless(page);
    });
    await t.test('dialogs', async () => {
      await goTo(`/jobs/${made.jobIds[2]}`);
      await page.getByLabel('More actions').click();
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByRole('dialog').waitFor();
      await assertHarmless(page);
      await goTo('/');
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.getByRole('button', { name: /^Select all/ }).click();
      await page
        .getByRole('region', { name: 'Selected jobs' })
        .getByRole('button', { name: 'Delete' })
        .click();
      await page.getByRole('dialog').waitFor();
      await assertHarmless(page);
    });
    for (const path of ['/', '/?order=name', '/monitors', '/channels']) {
      await t.test(`list ${path}`, async () => {
        await goTo(path);
        const shown = await page.locator('.row .name').allTextContents();
        for (const [, beginning] of names) {
          assert.ok(
            shown.some((text) => text.startsWith(beginning)),
            `${beginning} is not in ${shown.join('\n')}`,
          );
        }
        await assertHarmless(page);
      });
    }
    for (const [kind, ids] of [
      ['jobs', made.jobIds],
      ['monitors', made.monitorIds],
      ['channels', made.channelIds],
    ] as const) {
      await comeAgain();
      for (const [index, id] of ids.entries()) {
        const beginning = names[index]![1];
        // As many pages as the limit on requests allows.
        if (![2, 3, 5, 6].includes(index)) continue;
        const paths = [`/${kind}/${id}`, ...(index === 2 ? [`/${kind}/${id}/edit`] : [])];
        for (const path of paths) {
          await t.test(
            `${path.endsWith('edit') ? 'editor' : 'page'} of ${kind} ${index}`,
            async () => {
              await goTo(path);
              const heading = await page.getByRole('heading', { level: 1 }).innerText();
              assert.ok(heading.includes(beginning), heading);
              await assertHarmless(page);
            },
          );
        }
      }
    }
    await comeAgain();
    for (const [path, { jobId, runId }] of Object.entries(made.runs)) {
      await t.test(`run of ${path}`, async () => {
        await goTo(`/jobs/${jobId}/runs/${runId}`);
        await page.getByRole('region', { name: 'Body of the answer' }).waitFor();
        await assertHarmless(page);
        if (path !== '/json') return;
        const body = await page.getByRole('region', { name: 'Body of the answer' }).innerText();
        assert.match(body, /"big": 9007199254740993,/);
        assert.equal(body.match(/"__proto__"/g)?.length, 2, body);
        assert.ok(body.includes(String.raw`"\u202ekcab"`), body);
      });
    }
    for (const path of ['/timetable', '/trouble', '/audit', '/settings']) {
      await t.test(path, async () => {
        await goTo(path);
        await assertHarmless(page);
      });
    }
    assert.deepEqual(complaints, []);
  });
});
