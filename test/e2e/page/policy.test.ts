/** What the policy of the pages stops, in a real browser: foreign scripts in a page, and texts that become markup. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pages } from './pages.ts';
import { person } from './running/browser.ts';
import { untilQuiet } from './running/quiet.ts';
import { assertSignedOut, noPages, sharedDemo, servePages, signInWith } from './running/served.ts';

describe('the policy of the pages', { skip: noPages }, () => {
  test('stops inline scripts, handlers, styles, frames and forms in the document', async (t) => {
    const jobd = await servePages(t);
    const { context, open, complaints } = await person(t);
    const injected = `<script>hacked = 1</script><img src="data:," onerror="hacked = 1"><base href="http://evil.test/">
      <style>body { display: none }</style><iframe src="http://evil.test/"></iframe>
      <script src="http://evil.test/script.js"></script>`;
    await context.route(`${jobd.url}/sign-in`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('</body>', `${injected}</body>`);
      await route.fulfill({ response, body });
    });
    const page = await open(`${jobd.url}/sign-in`);
    await assertSignedOut(page);
    assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
    assert.equal(await page.evaluate(() => document.baseURI), page.url());
    const stopped = new Set(complaints.map((complaint) => complaint.split(':')[0]));
    assert.deepEqual(
      [...stopped].toSorted((a = '', b = '') => a.localeCompare(b)),
      ['base-uri', 'frame-src', 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-elem'],
    );
  });

  test('turns no string into markup or code', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/sign-in`);
    await assertSignedOut(page);
    const refused = await page.evaluate(() => {
      const element = document.createElement('div');
      const script = document.createElement('script');
      const attempts: Record<string, () => unknown> = {
        innerHTML: () => (element.innerHTML = '<b>x</b>'),
        outerHTML: () => (document.body.outerHTML = '<b>x</b>'),
        insert: () => element.insertAdjacentHTML('beforeend', '<b>x</b>'),
        write: () => document.write('<b>x</b>'),
        parse: () => new DOMParser().parseFromString('<b>x</b>', 'text/html'),
        text: () => (script.textContent = 'hacked = 1'),
        source: () => (script.src = 'data:text/javascript,hacked=1'),
        handler: () => element.setAttribute('onclick', 'hacked = 1'),
        // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- that is the attack
        timer: () => setTimeout('hacked = 1'),
        policy: () =>
          (
            globalThis as unknown as {
              trustedTypes: { createPolicy(name: string, rules: object): void };
            }
          ).trustedTypes.createPolicy('default', {}),
      };
      return Object.entries(attempts).filter(([, attempt]) => {
        try {
          attempt();
          return true;
        } catch {
          return false;
        }
      });
    });
    assert.deepEqual(refused, []);
    assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
  });

  test('is kept by all pages, whoever looks, and their console is empty', async (t) => {
    const jobd = await sharedDemo();
    const readKey = await jobd.command('key', 'create', '--permission', 'read');
    const signIns = {
      owner: async (page: Page) => void (await page.goto(await jobd.link())),
      'a key that may write': async (page: Page) => await signInWith(page, jobd.key),
      'a key that may read': async (page: Page) => await signInWith(page, readKey),
    };
    for (const [who, signIn] of Object.entries(signIns)) {
      await t.test(who, async (subject) => {
        const { context, open, complaints } = await person(subject);
        const printed: string[] = [];
        context.on('console', (message) => {
          const { url } = message.location();
          if (message.type() !== 'log') printed.push(`${message.text()} (${url})`);
        });
        const page = await open(`${jobd.url}/sign-in`);
        await signIn(page);
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        // Nobody was signed in yet: browsers print each such answer.
        assert.ok(
          printed.every((line) => /401.*\/api\/v1\/session\)$/.test(line)),
          printed.join(),
        );
        printed.length = 0;
        for (const { path } of pages.filter(({ by = 'owner' }) => by === 'owner')) {
          await page.goto(jobd.url + path(jobd.demo));
          await untilQuiet(page);
        }
        assert.deepEqual([...printed, ...complaints], []);
      });
    }
  });
});
