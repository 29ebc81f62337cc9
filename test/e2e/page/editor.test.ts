/** The editor of a job in a real browser: what is typed, pasted, refused, saved and kept. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { Job } from '../../../src/api/jobs/contract.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { assertNoBarriers } from './running/accessible.ts';
import { person } from './running/browser.ts';
import { untilAnswered } from './running/quiet.ts';
import { noPages, servePages, signInWith } from './running/served.ts';

/** Somebody who has signed in with a key. */
async function signedIn(t: TestContext) {
  const jobd = await servePages(t);
  const { open, context, complaints } = await person(t, { timezoneId: 'America/New_York' });
  const page = await open(jobd.url);
  await signInWith(page, jobd.key);
  const api = async (method: string, path: string, body?: object): Promise<{ job: Job }> => {
    const answer = await fetch(`${jobd.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${jobd.key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return (await answer.json()) as { job: Job };
  };
  const goTo = async (path: string): Promise<void> => {
    await page.goto(jobd.url + path);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  };
  return { jobd, page, context, complaints, api, goTo };
}

async function waitForFocus(page: Page, name: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.activeElement?.getAttribute('name') === wanted,
    name,
  );
}

const crons = { name: 'Hook', cronExpr: '30 2 * * *', timezone: 'Europe/Paris' };

describe('the editor of a job', { skip: noPages }, () => {
  test('a command that a job cannot do fills in what one can, and says the rest', async (t) => {
    const { page, goTo } = await signedIn(t);
    await goTo('/jobs/new');
    const paste = page.getByLabel('Paste a curl command');
    await paste.fill('curl -L https://example.com');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText('-L: jobd does not follow redirects').waitFor();
    assert.equal(await page.getByLabel('URL', { exact: true }).inputValue(), 'https://example.com');
    await paste.fill('this is no command');
    await paste.press('Control+Enter');
    await page.getByText(/paste a curl or wget command/i).waitFor();
    assert.equal(await paste.inputValue(), 'this is no command');
  });

  test('each refusal is beside its field, which gets the focus, and the toast names the next due time', async (t) => {
    const { page, api, goTo } = await signedIn(t);
    await goTo('/jobs/new');
    const fill = (label: string, text: string) =>
      page.getByLabel(label, { exact: true }).fill(text);
    const refusedAt = async (field: string, sentence: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('.input .problem').filter({ hasText: sentence }).waitFor();
      await waitForFocus(page, field);
      const described = await page.evaluate(() => {
        const ids = document.activeElement?.getAttribute('aria-describedby')?.split(' ') ?? [];
        return ids.map((each) => document.querySelector(`[id="${each}"]`)?.textContent).join(' ');
      });
      assert.match(described, sentence);
    };
    await refusedAt('name', /Name must not be empty/);
    const problems = await page.locator('.input .problem').allInnerTexts();
    assert.equal(problems.length, 3, problems.join('; '));
    await fill('Name', 'Long');
    await fill('URL', 'https://me:pw@example.com/');
    await page.getByText('No user name or password can be in it').waitFor();
    await refusedAt('url', /must not contain a user name/);
    await fill('URL', 'https://example.com/');
    await refusedAt('cronExpr', /Cron expression must not be empty/);
    await fill('Cron expression', '@daily');
    await fill('Time zone', 'Paris');
    await refusedAt('timezone', /must be an IANA name/);
    await fill('Time zone', 'UTC');
    await page.getByText('Limits, labels and notes').click();
    await fill('Retries', '9');
    await refusedAt('retries', /must be between 0 and 2/);
    await fill('Retries', '1');
    assert.equal(await page.getByLabel('Body', { exact: true }).count(), 0);
    await page.getByLabel('Method', { exact: true }).selectOption('POST');
    await fill('Body', 'x'.repeat(40_000));
    await page.getByText('40,000 / 32,768 characters').waitFor();
    await refusedAt('body', /must be at most 32768 characters, got 40000/);
    await fill('Body', '');
    await page.getByLabel('Period').check();
    await fill('Every', '0.5');
    await refusedAt('periodSeconds', /must be between 60 and 31536000 seconds, got 30/);
    await fill('Every', '2');
    await page.getByLabel('Unit of every').selectOption('hours');
    await page.getByText('Every 2 hours').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/Long is created\. Next due \w+ \d+ \w+ \d\d:\d\d \(UTC\)\./).waitFor();
    const { job } = await api('GET', `/jobs/${new URL(page.url()).pathname.split('/')[2]}`);
    assert.deepEqual([job.periodSeconds, job.retries, job.body], [7200, 1, null]);
  });

  test('old words are never beside a new schedule, and late answers are ignored', async (t) => {
    const { page, context, goTo } = await signedIn(t);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await context.route('**/schedule/preview', async (route) => {
      if (route.request().postData()?.includes('"1 1 * * *"')) await held;
      await route.continue();
    });
    await goTo('/jobs/new');
    const cron = page.getByLabel('Cron expression', { exact: true });
    const preview = page.locator('.preview');
    await cron.fill('30 2 * * *');
    await preview.getByText('At 02:30, every day').waitFor();
    const asked = page.waitForRequest(/schedule\/preview/);
    await cron.fill('1 1 * * *');
    assert.equal(await preview.innerText(), 'Reading…');
    await asked;
    await cron.fill('15 4 * * *');
    await preview.getByText('At 04:15, every day').waitFor();
    const late = page.waitForResponse(/schedule\/preview/);
    release();
    await late;
    assert.match(await preview.innerText(), /^At 04:15, every day/);
  });

  test('header values are kept, replaced, or asked for again when the URL leaves its site', async (t) => {
    const { page, api, goTo } = await signedIn(t);
    const headers = { 'X-Tenant': '7', Authorization: 'secret' };
    const { job } = await api('POST', '/jobs', { ...crons, url: 'https://example.com/', headers });
    await goTo(`/jobs/${job.id}/edit`);
    await page.getByText('values are kept').waitFor();
    await page.getByLabel('URL', { exact: true }).fill('https://example.org/');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/headers must be given again/i).waitFor();
    await waitForFocus(page, 'headers');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Value of X-Tenant',
    );
    await page.keyboard.type('8');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/the value of Authorization is not kept/).waitFor();
    await page.getByRole('button', { name: 'Remove Authorization' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(`**/jobs/${job.id}`);
    const changed = (await api('GET', `/jobs/${job.id}`)).job;
    assert.deepEqual([changed.url, changed.headerNames], ['https://example.org/', ['X-Tenant']]);
  });

  test('somebody else changes or deletes the job: the page says so and keeps the text', async (t) => {
    const { page, api, goTo } = await signedIn(t);
    const { job } = await api('POST', '/jobs', { ...crons, url: 'https://example.com/' });
    await goTo(`/jobs/${job.id}/edit`);
    await page.getByText('Limits, labels and notes').click();
    const notes = page.getByLabel('Notes', { exact: true });
    const name = page.getByLabel('Name', { exact: true });
    await api('PATCH', `/jobs/${job.id}`, { notes: 'first' });
    // Nothing was typed, so the new value is shown.
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('[name=notes]')?.value === 'first',
    );
    await name.fill('Mine');
    await api('PATCH', `/jobs/${job.id}`, { notes: 'second', name: 'Theirs' });
    await page.getByText('This job was changed meanwhile: name and notes.').waitFor();
    assert.deepEqual([await name.inputValue(), await notes.inputValue()], ['Mine', 'first']);
    await page.getByRole('button', { name: 'Load its values' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('[name=notes]')?.value === 'second',
    );
    await waitForFocus(page, 'name');
    assert.equal(await name.inputValue(), 'Theirs');
    await notes.fill('third');
    await api('DELETE', `/jobs/${job.id}`);
    await page.getByText('This job was deleted meanwhile.').waitFor();
    assert.equal(await notes.inputValue(), 'third');
  });

  test('an answer of the session before, which comes after the new one began, ends nothing', async (t) => {
    const { jobd, page, goTo } = await signedIn(t);
    await goTo('/jobs/new');
    await untilAnswered(page);
    const previews: Route[] = [];
    await page.route('**/api/v1/schedule/preview', (route) => void previews.push(route));
    await page.getByLabel('Cron expression', { exact: true }).fill('@daily');
    await until('a question without an answer', () => previews.length > 0);
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('API key').fill(jobd.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    const error = 'nobody is signed in';
    await Promise.all(previews.map((route) => route.fulfill({ status: 401, json: { error } })));
    await page.unroute('**/api/v1/schedule/preview');
    await untilAnswered(page);
    assert.equal(await dialog.count(), 0);
  });

  test('what was typed outlives the session, and leaving asks', async (t) => {
    const { jobd, page, context, goTo } = await signedIn(t);
    await goTo('/jobs/new');
    await page.getByLabel('Name', { exact: true }).fill('Typed');
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/');
    await page.getByLabel('Cron expression', { exact: true }).fill('@daily');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Monitors' }).click();
    assert.deepEqual(asked, ['Leave this page? What you changed is not saved.']);
    assert.match(page.url(), /jobs\/new$/);
    // What it asks for by itself would notice the end of the session before somebody saves.
    await untilAnswered(page);
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('API key').fill(jobd.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Typed is created.').waitFor();
    assert.equal(asked.length, 1);
  });

  test('results go to a URL: the secret that is made is shown once, an own one never', async (t) => {
    const sink = await startSink(t);
    const { jobd, page, complaints, api, goTo } = await signedIn(t);
    const { job } = await api('POST', '/jobs', { ...crons, url: sink.url });
    const edit = `/jobs/${job.id}/edit`;
    const readUrl = async () => (await api('GET', `/jobs/${job.id}`)).job.onResult;
    await page.goto(`${jobd.url}/jobs/${job.id}`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    const url = page.getByLabel('Results go to', { exact: true });
    const secret = page.getByLabel('Signing secret', { exact: true });
    await page.getByText('Results', { exact: true }).click();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    assert.equal(await secret.count(), 0);
    await url.fill(`${sink.url}/done`);
    await page.getByText('jobd makes one, and shows it once').waitFor();
    await secret.fill('short');
    await save.click();
    await page
      .locator('.input .problem')
      .filter({ hasText: /^Signing secret must/ })
      .waitFor();
    await waitForFocus(page, 'onResultSecret');
    await secret.fill('');
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Keep the signing secret' });
    assert.match((await dialog.locator('code').textContent()) ?? '', /^whsec_[\w+/]{43}=$/);
    await assertNoBarriers(page, 'the signing secret');
    await page.keyboard.press('Escape');
    const asked: string[] = [];
    page.once('dialog', (question) => {
      asked.push(question.message());
      void question.dismiss();
    });
    await page.evaluate(() => history.back());
    await until('the question', () => asked.length === 1);
    assert.deepEqual(asked, ['Leave this page? The signing secret is never shown again.']);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('Hook is saved.').waitFor();
    assert.equal(new URL(page.url()).pathname, `/jobs/${job.id}`);
    assert.equal(await readUrl(), `${sink.url}/done`);
    await goTo(edit);
    await page.getByText('Empty: the one there is stays.').waitFor();
    await url.fill(`${sink.url}/other`);
    await secret.fill(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    await save.click();
    await page.getByText('Hook is saved.').waitFor();
    assert.equal(await dialog.count(), 0);
    await goTo(edit);
    assert.equal(await url.inputValue(), `${sink.url}/other`);
    await url.fill('');
    await save.click();
    await page.getByText('Hook is saved.').waitFor();
    assert.equal(await readUrl(), undefined);
    assert.deepEqual(complaints, []);
  });

  test('the filled-in form has no barriers, and fits 360 px, in both themes', async (t) => {
    const { page, goTo } = await signedIn(t);
    await page.setViewportSize({ width: 360, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await goTo('/jobs/new');
      const paste = page.getByLabel('Paste a curl command');
      await paste.fill(`curl -s https://example.com/ -H 'X-Tenant: 7' -d '${'a'.repeat(100)}'`);
      await paste.press('Control+Enter');
      await page.getByLabel('Cron expression', { exact: true }).fill('0 25 * * *');
      await page.getByText('the hour field takes 0 to 23').waitFor();
      await assertNoBarriers(page, `${colorScheme}, an error`);
      await page.getByLabel('Cron expression', { exact: true }).fill('@daily');
      await page.locator('.due').waitFor();
      await assertNoBarriers(page, `${colorScheme}, filled in`);
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(tooWide, 0);
    }
  });

  test('a preset fills in the expression, and a job is due once at a time of its zone', async (t) => {
    const { page, api, goTo, complaints } = await signedIn(t);
    await goTo('/jobs/new');
    const cron = page.getByLabel('Cron expression', { exact: true });
    await page.getByRole('button', { name: 'On weekdays' }).click();
    assert.equal(await cron.inputValue(), '0 9 * * 1-5');
    await page.getByLabel('Name', { exact: true }).fill('Cut over');
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/');
    await page.getByLabel('Once', { exact: true }).check();
    const once = page.getByLabel('Once at', { exact: true });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Once at must not be empty').waitFor();
    await waitForFocus(page, 'runAt');
    const year = new Date().getUTCFullYear() + 1;
    await once.fill(`${year}-07-01T09:00`);
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Paris');
    await page.locator('.due').getByText('09:00').waitFor();
    const kept = page.getByLabel('Deleted after', { exact: true });
    assert.equal(await kept.inputValue(), '7');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Cut over is created.').waitFor();
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    const read = async (): Promise<Job> => (await api('GET', `/jobs/${id}`)).job;
    const { runAt, deleteAfterSeconds } = await read();
    assert.deepEqual([runAt, deleteAfterSeconds], [`${year}-07-01T07:00:00.000Z`, 604_800]);
    await goTo(`/jobs/${id}/edit`);
    assert.equal(await once.inputValue(), `${year}-07-01T09:00`);
    await page.getByLabel('Time zone', { exact: true }).fill('UTC');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Cut over is saved.').waitFor();
    assert.equal((await read()).runAt, `${year}-07-01T09:00:00.000Z`, 'the clock of its new zone');
    assert.deepEqual(complaints, []);
  });

  test('a key that may only read edits nothing', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(await jobd.link('--read'));
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${jobd.url}/jobs/new`);
    await page.getByText('This session may only read').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });
});
