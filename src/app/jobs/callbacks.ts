/** The callback of a job with `onResult`: a channel of its own, kept in step with the job. */

import { randomBytes } from 'node:crypto';
import { unlessRefused } from '../../domain/errors.ts';
import { webhook } from '../../domain/alerts/kinds/webhook.ts';
import { newId } from '../../domain/id.ts';
import { leavesOrigin, type Job } from '../../domain/jobs/job.ts';
import { openConfig, sealConfig } from '../../domain/secrets/sealed-config.ts';
import {
  findCallback,
  insertCallback,
  markCallbacksDeleted,
  renameCallback,
  updateCallback,
} from '../../store/alerts/callbacks.ts';
import type { Db } from '../../store/database/store.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { JobsApp } from '../app.ts';

const { secret: secretField } = webhook.fields;

/**
 * Keeps the callback of a job as its `onResult` says, in the transaction that writes the job. Without a given secret it keeps
 * its own, unless the URL moves to another scheme, host or port: then it gets a new one. Returns the secret that jobd made;
 * null if it made none.
 */
export async function keepCallback(
  { clock, vault }: JobsApp,
  tx: Db,
  { before, after, secret }: { before: Job | null; after: Job; secret: string | undefined },
): Promise<string | null> {
  const { id: jobId, workspaceId, name, onResult: url } = after;
  const was = before?.onResult ?? null;
  const now = clock.now();
  if (url === null) {
    if (was !== null) await markCallbacksDeleted(tx, [jobId], now);
    return null;
  }
  if (url === was && secret === undefined) {
    if (name !== before?.name) await renameCallback(tx, jobId, name);
    return null;
  }
  const kept = was === null ? undefined : await findCallback(tx, jobId);
  const stays = kept !== undefined && was !== null && !leavesOrigin({ url: was }, { url });
  const own =
    secret ??
    (stays ? unlessRefused(() => openConfig(kept, kept.sealed, vault)['secret']) : undefined);
  const made = own === undefined ? secretField?.generate?.(randomBytes(32)) : undefined;
  const id = kept?.id ?? newId(now);
  const config = { url, secret: own ?? made ?? '' };
  const sealed = sealConfig({ id, workspaceId }, config, vault, await activeMasterKeyId(tx));
  if (kept === undefined) await insertCallback(tx, { id, jobId, workspaceId, name, sealed }, now);
  else await updateCallback(tx, { id, name, sealed });
  return made ?? null;
}

/** The secret of a job's callback; undefined if it has none, or no key can open it. */
export async function callbackSecret(
  { vault }: Pick<JobsApp, 'vault'>,
  db: Db,
  jobId: string,
): Promise<string | undefined> {
  const kept = await findCallback(db, jobId);
  return kept && unlessRefused(() => openConfig(kept, kept.sealed, vault)['secret']);
}
