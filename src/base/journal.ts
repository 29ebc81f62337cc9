/** How lines get their priority in the journal of systemd (sd-daemon(3)). */

import { fstatSync } from 'node:fs';

/** The priorities in use, as syslog(3) numbers them. */
export const priorities = { critical: 2, error: 3, warning: 4, info: 6, debug: 7 } as const;

/** Whether the journal reads stdout (1) or stderr (2), by `journalStream`. A child with streams of its own inherits the variable too. */
export function isJournal(journalStream: string | null, descriptor: 1 | 2): boolean {
  if (journalStream === null) return false;
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return journalStream === `${dev}:${ino}`;
}

/** A text with a priority in front of each of its lines: to the journal, each is an entry. */
export function withPriority(priority: number, text: string): string {
  return text.replace(/^(?=.)/gm, `<${priority}>`);
}
