/** The secret of completion URLs: made at the first start, the same for all nodes, sealed like every other secret. */

import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { CompletionTokens } from '../../domain/runs/completion.ts';
import { ifOpens, placeOf, type Vault } from '../../domain/secrets/vault.ts';
import { completionTokens, newCompletionSecret } from '../../secrets/completion-tokens.ts';
import { writeAlone } from '../../store/database/alone.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { findCompletionKey, replaceCompletionKey } from '../../store/secrets/completion-keys.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';

/** The tokens of completion URLs. A secret that cannot be opened is replaced: the URLs of open waits are unknown then. */
export async function openCompletionTokens({
  store,
  vault,
  clock,
}: {
  store: Store;
  vault: Vault;
  clock: Clock;
}): Promise<CompletionTokens> {
  const secret =
    (await opened(store.db, vault)) ??
    (await writeAlone(
      store,
      // Another process may have been faster.
      async (tx) => (await opened(tx, vault)) ?? (await replaced(tx, vault, clock.now())),
    ));
  return completionTokens(secret);
}

async function opened(db: Db, vault: Vault): Promise<string | undefined> {
  const key = await findCompletionKey(db);
  return key && ifOpens(() => vault.open(key.sealed, placeOf('completion_keys', key)));
}

async function replaced(tx: Db, vault: Vault, now: number): Promise<string> {
  const id = newId(now);
  const secret = newCompletionSecret();
  const place = placeOf('completion_keys', { id });
  const sealed = vault.seal(await activeMasterKeyId(tx), secret, place);
  await replaceCompletionKey(tx, { id, sealed }, now);
  return secret;
}
