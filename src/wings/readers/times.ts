/** The times of a crontab line in the forms that only some crons know. */

import { secondsOf } from '../../domain/schedule/foreign.ts';
import type { Remark } from './remark.ts';
import { asPlainDashes, dashes } from './typographic.ts';

export interface Times {
  /** Empty if it has an interval. */
  cronExpr: string;
  /** The interval in seconds; null for a cron expression. */
  periodSeconds: number | null;
  /** What is read in another way, or not at all. */
  times: Remark[];
}

/** Reads the times of a line; what is random in them is chosen by the text of the line, so that it stays the same. */
export function readTimes(written: string, line: string): Times {
  const times: Remark[] = [];
  let text = written.replaceAll(/[ \t]+/g, ' ');
  if (/^-[\d*@~]/.test(text)) {
    times.push({ text: '-', reason: 'it only keeps the line out of the log of cron' });
    text = text.slice(1);
  }
  const periodSeconds = intervalOf(text);
  if (periodSeconds !== null) return { cronExpr: '', periodSeconds, times };
  let cronExpr = text.startsWith('@') ? text.toLowerCase() : text;
  const plain = cronExpr.replaceAll(dashes, '-');
  if (plain !== cronExpr) times.push(asPlainDashes);
  cronExpr = plain;
  if (cronExpr.includes('~')) {
    const chosen = withoutChance(cronExpr, line);
    if (chosen !== cronExpr) {
      times.push({ text: cronExpr, reason: `cron takes a value by chance, the job ${chosen}` });
    }
    cronExpr = chosen;
  }
  return { cronExpr, periodSeconds, times };
}

/** `@every 5m` of Go programs, `@300` of FreeBSD. */
function intervalOf(text: string): number | null {
  const [, every, seconds] = /^@(?:every (\S+)|(\d{1,8}))$/i.exec(text) ?? [];
  return every === undefined ? Number(seconds ?? 0) || null : secondsOf(every);
}

/** The first and last value of the five fields, for a `~` without one. */
const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** With a value for each range `low~high` (crontab(5) of cronie). */
function withoutChance(cronExpr: string, line: string): string {
  const fields = cronExpr.split(' ').map((field, index) => {
    const [, low, high] = /^(\d{1,2})?~(\d{1,2})?$/.exec(field) ?? [];
    const [least, most] = limits[index] ?? [];
    if (least === undefined || !/^\d{0,2}~\d{0,2}$/.test(field)) return field;
    const [from, to] = [Number(low ?? least), Number(high ?? most)];
    return to < from ? field : String(from + (hashOf(`${index} ${line}`) % (to - from + 1)));
  });
  return fields.join(' ');
}

/** A number from a text, evenly spread (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
