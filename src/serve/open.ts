/** The first two steps of a daemon: its data is opened, then the keys in it. */

import { newSecret } from '../app/accounts/secrets.ts';
import { checkUsers } from '../app/operator/doctor-file.ts';
import { openReportTokens } from '../app/secrets/report-key.ts';
import { ensureSigningKey } from '../app/proof/signing-keys.ts';
import type { Log } from '../base/log.ts';
import type { Clock } from '../domain/clock.ts';
import type { Finding } from '../domain/findings.ts';
import { createSigner } from '../engine/proof/sign.ts';
import { watchDataDirectory } from '../engine/upkeep/data-directory.ts';
import type { ServeConfig } from '../settings/config.ts';
import { startInstance } from '../store/accounts/instance.ts';
import type { Reserve } from '../store/database/store.ts';
import { lockDataDir } from '../store/sqlite/lock.ts';
import { lostDatabase } from '../store/sqlite/lost.ts';
import { lastSign } from '../store/sqlite/sign-of-life.ts';
import { version } from '../version.ts';
import { openLocal } from './local-store.ts';

/** The store, open and locked, and what opens what is sealed in it. */
export type Data = Awaited<ReturnType<typeof openData>>;

/** Locks the data directory and opens the store, bringing it up to date. Throws `JobdError` if it cannot be served. */
export async function openData(
  asked: Pick<ServeConfig, 'dataDir' | 'database' | 'secretKeys'>,
  { log, clock: given, keepsCopy }: { log: Log; clock?: Clock | undefined; keepsCopy: boolean },
  parts: AsyncDisposableStack,
) {
  const { dataDir, database, secretKeys: keys } = asked;
  const lock = database === null ? parts.use(lockDataDir(dataDir)) : null;
  const servedUntil = lock && lastSign(dataDir);
  const lost = lock && lostDatabase(dataDir);
  if (lost !== null) throw lost;
  const upgrade = { version, keepsCopy, onBegin: (kept: string | null) => logUpgrade(log, kept) };
  const opening = { ...(given && { clock: given }), keys, mayMake: true, upgrade };
  const local = parts.use(await openLocal({ dataDir, database }, opening));
  const { store, clock } = local;
  await store.reserve.keep(() => logDisk(log, store.reserve));
  if (lock !== null) logUsers(log, checkUsers(dataDir));
  const directory = lock && parts.use(watchDataDirectory({ store, lock, log, clock }));
  const vault = await local.openVault();
  const place = database === null ? dataDir : null;
  return { local, store, clock, vault, directory, dataDir: place, servedUntil };
}

/** What this installation signs with and is known by. */
export type Keys = Awaited<ReturnType<typeof openKeys>>;

/** Opens them, and makes those that are missing. */
export async function openKeys(
  { store, clock, vault }: Data,
  isSigning: boolean,
  siteUrl: () => string,
) {
  if (isSigning) await ensureSigningKey({ store, clock, vault });
  return {
    reportTokens: await openReportTokens({ store, clock, vault }),
    instanceId: await startInstance(store, newSecret(4)),
    signer: isSigning ? createSigner({ store, clock, vault, siteUrl }) : null,
  };
}

/** jobd makes no copy of a database on a server. */
function logUpgrade(log: Log, kept: string | null): void {
  log.info({ version, ...(kept !== null && { kept }) }, 'the tables of the database are changed');
}

/** Nobody may ever ask the doctor, so that a start says it too. */
function logUsers(log: Log, { code, result, facts, detail, notes }: Finding): void {
  if (result === 'fail') log.warn({ code, error: detail, facts, notes }, 'see to this');
}

function logDisk(log: Log, { isInUse, isMissing, refusal }: Reserve): void {
  if (isMissing) log.error({ error: refusal }, 'little or nothing can be stored');
  else if (isInUse) {
    log.error('the disk is full and the reserve is in use: free space, or delete jobs or monitors');
  } else log.info('the disk has free space again, and the reserve is filled');
}
