/** What an earlier jobd kept in plain text is sealed, once, before anything is served. */

import { JobdError } from '../../domain/errors.ts';
import { placeOf } from '../../domain/secrets/vault.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Store } from '../../store/database/open.ts';
import * as plain from '../../store/secrets/plain.ts';

/** Jobs sealed in one transaction. */
const jobsPerStep = 200;

/**
 * Seals what is there in plain text, and removes what is left of it in the file. Does nothing where that
 * was done before; what broke off is gone on with. Returns why text of before may still be in the file, or
 * null if there is none: the next call tries again.
 */
export async function sealPlainText(store: Store, vault: Vault): Promise<string | null> {
  if (!(await plain.hasPlainText(store.db))) return null;
  for (let afterId = ''; ;) {
    const page = { afterId, limit: jobsPerStep };
    const last = await store.write(async (tx) => {
      const keyId = await activeMasterKeyId(tx);
      const found = await plain.findPlainRequests(tx, page);
      for (const { job, ...request } of found) {
        const sealed = vault.seal(keyId, JSON.stringify(request), placeOf('jobs', job));
        await plain.replacePlainRequest(tx, job.id, sealed);
      }
      return found.at(-1);
    });
    if (last === undefined) break;
    afterId = last.job.id;
  }
  try {
    return (await plain.removeFreedText(store.db)) ? null : 'another process reads the store';
  } catch (error) {
    // The text is sealed; to serve with less room than this needs is better than not to serve.
    if (error instanceof JobdError) return error.message;
    throw error;
  }
}
