/** The secret of report URLs: made at the first start, the same for all nodes, sealed like every other secret. */

import { unlessRefused } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { ReportTokens } from '../../domain/runs/report.ts';
import { placeOf, type Vault } from '../../domain/secrets/vault.ts';
import { reportTokens, newReportSecret } from '../../secrets/report-tokens.ts';
import { writeAlone } from '../../store/database/alone.ts';
import type { Db } from '../../store/database/store.ts';
import { findReportKey, replaceReportKey } from '../../store/secrets/report-keys.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Ground } from '../app.ts';

/** The tokens of report URLs. A secret that cannot be opened is replaced: the URLs of open waits are unknown then. */
export async function openReportTokens(parts: Ground & { vault: Vault }): Promise<ReportTokens> {
  const { store, vault, clock } = parts;
  const secret =
    (await opened(store.db, vault)) ??
    (await writeAlone(
      store,
      // Another process may have been faster.
      async (tx) => (await opened(tx, vault)) ?? (await replaced(tx, vault, clock.now())),
    ));
  return reportTokens(secret);
}

async function opened(db: Db, vault: Vault): Promise<string | undefined> {
  const key = await findReportKey(db);
  return key && unlessRefused(() => vault.open(key.sealed, placeOf('report_keys', key)));
}

async function replaced(tx: Db, vault: Vault, now: number): Promise<string> {
  const id = newId(now);
  const secret = newReportSecret();
  const place = placeOf('report_keys', { id });
  const sealed = vault.seal(await activeMasterKeyId(tx), secret, place);
  await replaceReportKey(tx, { id, sealed }, now);
  return secret;
}
