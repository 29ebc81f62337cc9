/**
 * What workspaces may still mail, by their accounts. The default account is the operator's own and has no limit. It is kept
 * in memory: after a restart each account may send its mails of an hour again.
 */

import { createMailLimit } from '../../domain/alerts/mail-limit.ts';
import type { Clock } from '../../domain/clock.ts';
import { defaultAccount, findAccountOf } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/database/store.ts';

/** Both answer how long the workspace has to wait until it may send so many mails, in milliseconds; 0 if it may now. */
export interface MailAllowance {
  /** Only asks. */
  readonly waitMs: (workspaceId: string, mails: number) => Promise<number>;
  /** Counts the mails if they may be sent now. */
  readonly take: (workspaceId: string, mails: number) => Promise<number>;
}

/** Makes the allowance of all workspaces. */
export function createMailAllowance({
  store,
  clock,
}: {
  store: Pick<Store, 'db'>;
  clock: Clock;
}): MailAllowance {
  const limit = createMailLimit();
  const by =
    (ask: 'waitMs' | 'take') =>
    async (workspaceId: string, mails: number): Promise<number> => {
      const account = await findAccountOf(store.db, workspaceId);
      if (account?.name === defaultAccount) return 0;
      return limit[ask](account?.id ?? workspaceId, mails, clock.monotonicMs());
    };
  return { waitMs: by('waitMs'), take: by('take') };
}
