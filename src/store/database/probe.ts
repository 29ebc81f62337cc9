/** Whether the store takes writes: the only way to know is to write. */

import type { Store } from './open.ts';

/** Writes, and syncs, something that changes nothing. Throws `JobdError` `unavailable` if it cannot. */
export async function probeWrite(store: Store): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('workspaces')
      .set((of) => ({ name: of.ref('name') }))
      .execute(),
  );
}
