/** Windows that are in effect, in a real browser: nobody forgets that alerts are muted. */

import { describe, test } from 'node:test';
import { assertAccessibleAnyhow } from './running/accessible.ts';
import { addJob, call, noPages, servePages, signedIn } from './running/served.ts';

describe('windows', { skip: noPages }, () => {
  test('a line says what is muted, as soon as somebody mutes it and until somebody ends it', async (t) => {
    const jobd = await servePages(t);
    const id = await addJob(jobd, 'shop');
    await call(jobd, 'PATCH', `/jobs/${id}`, { labels: { client: 'acme' } });
    await addJob(jobd, 'other');
    const { page } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'shop' }).waitFor();
    const muted = { effect: 'mute', durationSeconds: 604_800 };
    await call(jobd, 'POST', '/windows', { ...muted, name: 'tonight', selector: 'client=acme' });
    const line = page.getByText(/^Alerts of client=acme are muted until .* \d\d:\d\d: tonight/);
    await line.waitFor();
    // Beside the name of what is muted, and of nothing else.
    const tag = page.getByText(/^muted until .* \d\d:\d\d$/);
    await tag.waitFor();
    await assertAccessibleAnyhow(page);
    await page.getByRole('button', { name: 'End now' }).click();
    await line.waitFor({ state: 'detached' });
    await tag.waitFor({ state: 'detached' });
    await call(jobd, 'POST', '/windows', { ...muted, name: 'long ago', selector: 'old' });
    const later = { ...muted, from: new Date(Date.now() + 86_400_000).toISOString() };
    for (let made = 0; made < 98; made++) {
      await call(jobd, 'POST', '/windows', { ...later, name: `later ${made}` });
    }
    for (const name of ['one', 'two']) {
      const { window } = await call<{ window: { id: string } }>(jobd, 'POST', '/windows', {
        ...muted,
        name,
      });
      await call(jobd, 'POST', `/windows/${window.id}/end`);
    }
    await page.reload();
    await page.getByText(/^Alerts of old are muted/).waitFor();
    const held = { ...muted, effect: 'hold', name: 'night' };
    for (const [about, words] of [
      [{}, 'All due times'],
      [{ jobIds: [id] }, 'Due times of 1 job'],
      [{ selector: 'client=acme' }, 'Due times of client=acme'],
    ] as const) {
      const { window } = await call<{ window: { id: string } }>(jobd, 'POST', '/windows', {
        ...held,
        ...about,
      });
      await page.getByText(new RegExp(`^${words} are held until .*: night`)).waitFor();
      await call(jobd, 'DELETE', `/windows/${window.id}`);
    }
  });
});
