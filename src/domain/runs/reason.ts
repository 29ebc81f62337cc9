/** Why a run was no success: kept as a word and details. The sentence for people is made here when shown; nothing reads it back. */

import { isoTime } from '../clock.ts';

/** Each reason, and the word that the `error` of such a run begins with (docs/behavior.md#result-4). */
const words = {
  timeout: 'timeout',
  /** The target answered 202, and reported nothing in time. */
  no_report: 'timeout',
  dns: 'dns',
  refused: 'refused',
  reset: 'reset',
  tls: 'tls',
  /** What answers on an https URL speaks no TLS. */
  no_tls: 'tls',
  protocol: 'protocol',
  /** Headers and body cannot be opened: nothing was sent. */
  unopened: 'protocol',
  /** There is no key to sign the call with: nothing was sent. */
  unsigned: 'protocol',
  blocked_address: 'blocked_address',
  /** It is, or may be, the metadata service of a cloud. */
  blocked_metadata: 'blocked_address',
  redirect: 'redirect',
  http: 'http',
  reported: 'reported',
  /** The previous run was still executing. */
  busy: 'missed',
  not_running: 'missed',
  /** No node of a database on a server could renew its lease: whether one ran is not known there. */
  not_serving: 'missed',
  /** The database could not be used. */
  outage: 'missed',
  /** The process was stopped, or its machine suspended or overloaded. */
  standstill: 'missed',
  /** The machine was suspended, or its clock set forward. */
  clock: 'missed',
  /** The database was restored, and the one before could not say whether it had called them. */
  restored: 'missed',
  /** Other calls had all slots. */
  slots: 'missed',
  /** None of these is known. */
  late: 'missed',
  /** Nothing was sent. */
  unsent: 'interrupted',
  /** The request may have been sent. */
  cut_off: 'interrupted',
} as const;

/** Why a run was no success. */
export type RunReason = keyof typeof words;

/** What the `error` of a run begins with. */
export type ErrorWord = (typeof words)[RunReason];

export const runReasons = Object.keys(words) as RunReason[];

/** All words, in the order of the documentation. */
export const errorWords = [...new Set(Object.values(words))] as readonly ErrorWord[];

type ReasonWith<Word extends ErrorWord> = {
  [Reason in RunReason]: (typeof words)[Reason] extends Word ? Reason : never;
}[RunReason];

/** Why due times were missed. */
export type MissedReason = ReasonWith<'missed'>;

/** Why the outcome of a run is not known. */
export type InterruptedReason = ReasonWith<'interrupted'>;

/** The due times that one job missed in one outage. Times are epoch milliseconds. */
export interface Missed {
  first: number;
  last: number;
  count: number;
}

/** Why a run that waits to make up for missed due times is dropped (docs/behavior.md#makeup-4): the `detail` of the missed run. */
export const makeUpDrops = {
  overtaken:
    'the run that was to make up for it was dropped: a later due time of the job began first',
  paused: 'the run that was to make up for it was dropped: the job was paused',
  off: 'the run that was to make up for it was dropped: the job makes up for nothing since then',
} as const;

/** The same, and the time for which something kept jobd from starting runs: null where that is not part of the reason. */
export interface MissedFacts extends Missed {
  from: number | null;
  until: number | null;
}

export interface Why {
  /** Null for a success, and before the end. */
  reason: RunReason | null;
  /** What else is known, as a clause for people. */
  detail: string | null;
  httpStatus: number | null;
  /** Of a missed run. */
  missed?: MissedFacts;
}

/** Writes a moment, given as ISO 8601. */
export type WriteTime = (iso: string) => string;

const asItIs: WriteTime = (iso) => iso;

/** The word that the `error` of a run begins with. */
export function errorWordOf(reason: RunReason): ErrorWord {
  return words[reason];
}

/** The `error` of a run, as people see it (docs/behavior.md#result-4); null for one without. */
export function errorOf(why: Why, time: WriteTime = asItIs): string | null {
  if (why.reason === null) return null;
  return `${words[why.reason]}: ${errorDetail(why, time)}`;
}

/** The same without its first word. */
export function errorDetail(why: Why, time: WriteTime = asItIs): string {
  if (why.missed === undefined) return becauseOf(why, time);
  const { first, last, count } = why.missed;
  const times =
    count === 1
      ? `1 due time, ${time(isoTime(first))}`
      : `${count} due times from ${time(isoTime(first))} to ${time(isoTime(last))}`;
  return `${times}: ${becauseOf(why, time)}`;
}

const missedClauses: Readonly<Partial<Record<RunReason, string>>> = {
  busy: 'the previous run was still executing',
  not_running: 'jobd was not running',
  not_serving: 'no jobd served, as none ran or none reached the database,',
  outage: 'the database could not be used',
  standstill:
    'jobd stood still, as its process was stopped or its machine suspended or overloaded,',
  clock: 'the machine was suspended or its clock set forward,',
  restored: 'the database was restored from a backup, and it is not known whether they were called',
  slots: 'all slots it could have were in use by other calls',
  late: 'jobd could not start it within a minute: overload, a database failure, a suspended machine or a clock change',
} satisfies Record<MissedReason, string>;

/** Why, as a clause: `jobd was not running`. */
export function becauseOf(
  { reason, detail, httpStatus, missed }: Why,
  time: WriteTime = asItIs,
): string {
  const clause = (reason && missedClauses[reason]) ?? detail ?? String(httpStatus ?? '');
  if (reason === 'unsent') return `not sent: ${clause}`;
  const { from = null, until = null } = missed ?? {};
  return from === null || until === null
    ? clause
    : `${clause} from ${time(isoTime(from))} to ${time(isoTime(until))}`;
}

/** Why a run was no success, as the API and the log show it: times are ISO 8601. */
export interface WhyDocument {
  reason: RunReason;
  detail: string | null;
  /** Of a missed run: the last due time that it stands for, and how many there are. */
  lastDueAt?: string;
  count?: number;
  /** Of a missed run: for how long something kept jobd from starting runs, if that is part of the reason. */
  hinderedFrom?: string;
  hinderedUntil?: string;
}

/** Shows why a run was no success; undefined for one without a reason. */
export function whyDocument({
  reason,
  detail,
  missed,
}: Omit<Why, 'httpStatus'>): WhyDocument | undefined {
  if (reason === null) return undefined;
  const why: WhyDocument = { reason, detail };
  if (missed === undefined) return why;
  const { last, count, from, until } = missed;
  const times = { ...why, lastDueAt: isoTime(last), count };
  if (from === null || until === null) return times;
  return { ...times, hinderedFrom: isoTime(from), hinderedUntil: isoTime(until) };
}

/** Reads what `whyDocument` shows of a run that was due at `dueAt` (ISO 8601). */
export function readWhy(
  { reason, detail, ...times }: WhyDocument,
  { dueAt, httpStatus }: { dueAt: string; httpStatus: number | null },
): Why {
  const { lastDueAt, count, hinderedFrom: from, hinderedUntil: until } = times;
  if (lastDueAt === undefined || count === undefined) return { reason, detail, httpStatus };
  const [first, last] = [Date.parse(dueAt), Date.parse(lastDueAt)];
  const missed = { first, last, count, from: momentOf(from), until: momentOf(until) };
  return { reason, detail, httpStatus, missed };
}

function momentOf(iso: string | undefined): number | null {
  return iso === undefined ? null : Date.parse(iso);
}
