/** The people who look at the pages of a demo. */

import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ShownPage } from '../pages.ts';
import { person, type Person } from './browser.ts';
import { untilAnswered } from './quiet.ts';
import type { ServedDemo } from './served.ts';

type Viewer = NonNullable<ShownPage['by']>;

/** Opens what somebody looks at, once it shows what it has to show. */
export type OpenShown = (shown: Pick<ShownPage, 'path' | 'by' | 'prepare'>) => Promise<Page>;

export interface Viewers {
  open: OpenShown;
  /** What the pages of all of them complained about. */
  complaints: () => string[];
}

/** Signs in everybody who looks at a page. */
export async function viewersOf(
  t: TestContext,
  jobd: ServedDemo,
  options: BrowserContextOptions = {},
): Promise<Viewers> {
  const signedIn = async (workspace: string): Promise<Person> => {
    const viewer = await person(t, options);
    const page = await viewer.open(await jobd.link('--workspace', workspace));
    await page.waitForURL(({ pathname }) => pathname === '/');
    await page.close();
    return viewer;
  };
  const viewers: Record<Viewer, Person> = {
    owner: await signedIn('default'),
    newcomer: await signedIn('staging'),
    fleet: await signedIn('fleet'),
    nobody: await person(t, options),
  };
  return {
    open: async ({ path, by = 'owner', prepare }) => {
      const page = await viewers[by].open(jobd.url + path(jobd.demo));
      await untilAnswered(page);
      try {
        await prepare?.(page);
      } catch (error) {
        const shown = await page.locator('body').innerText();
        throw new Error(`${page.url()} is not as expected. It shows:\n${shown}`, { cause: error });
      }
      return page;
    },
    complaints: () => Object.values(viewers).flatMap(({ complaints }) => complaints),
  };
}
