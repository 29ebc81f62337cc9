/** What tests share: it lasts until the last test of the process has ended. */

import { after, type TestContext } from 'node:test';

const parts = new AsyncDisposableStack();
after(() => parts.disposeAsync());

/** Ends what is given to it after all tests, the last first, as a test ends what is its own. */
export const allTests: Pick<TestContext, 'after'> = {
  after: (end) => parts.defer(end as () => Promise<void>),
};
