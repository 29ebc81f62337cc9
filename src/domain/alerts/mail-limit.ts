/** How much mail an account may send. What its people type in as recipients need not want any (docs/alerts.md#mail). */

/** Mails of an account in an hour. A mail to several recipients counts as one for each. */
export const mailsPerHour = 1_000;

const hourMs = 3_600_000;

/** What accounts have left of their limit. Times are milliseconds of any clock that never goes back. */
export interface MailLimit {
  /** How long an account has to wait until it may send so many mails, in milliseconds; 0 if it may now. */
  waitMs(account: string, mails: number, now: number): number;
  /** Counts so many mails of an account if it may send them now. Returns how long it has to wait, as `waitMs`. */
  take(account: string, mails: number, now: number): number;
}

/** Makes the limit: each account may send its mails at once, and gets them back evenly over an hour. */
export function createMailLimit(): MailLimit {
  /** Mails that are not yet given back, as of `at`. */
  const spent = new Map<string, { mails: number; at: number }>();

  function spentBy(account: string, now: number): number {
    const { mails, at } = spent.get(account) ?? { mails: 0, at: now };
    return Math.max(0, mails - ((now - at) / hourMs) * mailsPerHour);
  }

  function waitMs(account: string, mails: number, now: number): number {
    const tooMany = spentBy(account, now) + mails - mailsPerHour;
    return Math.max(0, Math.ceil((tooMany / mailsPerHour) * hourMs));
  }

  return {
    waitMs,
    take(account, mails, now) {
      const wait = waitMs(account, mails, now);
      if (wait === 0) spent.set(account, { mails: spentBy(account, now) + mails, at: now });
      return wait;
    },
  };
}

/** Why a mail has to wait, for people. */
export const mailRule = `an account may send ${mailsPerHour} mails an hour, each recipient counted`;
