/**
 * Findings: what an operator should see to. This is the one list of them, with how bad each is and the sentence that people read.
 * Whoever finds one gives its facts (`found`). `/readyz`, `jobd doctor`, metrics, the log and the page show what was found, so that a new
 * one is added here and where it is found.
 */

import { counted } from './counted.ts';
import { quoted } from './quote.ts';
import { sizeText } from './sizes.ts';
import { fullDiskText, shortageText, type Shortage } from './space.ts';

/** `fail`: jobd does not work, or loses something; `warn`: an operator should read the detail. */
export type Severity = 'warn' | 'fail';

/** What a check came to. */
export interface Finding {
  /** Null if all is well. */
  code: FindingCode | null;
  result: 'ok' | Severity;
  /** What is known of it. Times are ISO 8601. */
  facts: Readonly<Record<string, unknown>>;
  /** What is wrong and what to do, or that all is well, in a sentence. What a jobd that serves finds is also read by strangers. */
  detail: string;
  /** What belongs to the detail, a line each: places, remedies. Only operators read them. */
  notes: readonly string[];
}

/** All is well. */
export function ok(detail: string, facts: Finding['facts'] = {}): Finding {
  return { code: null, result: 'ok', facts, detail, notes: [] };
}

/** Something was found. A fact `count` says of how many it is true. */
export function found<Code extends FindingCode>(
  code: Code,
  facts: FactsOf<Code>,
  notes: readonly string[] = [],
): Finding {
  // Each code has the facts of its own sentence.
  const [result, detail] = kinds[code] as Kind<unknown>;
  return { code, result, facts: { ...facts }, detail: detail(facts), notes };
}

type Kind<Facts> = readonly [severity: Severity, detail: (facts: Facts) => string];

export type FindingCode = keyof typeof kinds;

export type FactsOf<Code extends FindingCode> = Parameters<(typeof kinds)[Code][1]>[0];

function fail<Facts = object>(detail: (facts: Facts) => string): Kind<Facts> {
  return ['fail', detail];
}

function warn<Facts = object>(detail: (facts: Facts) => string): Kind<Facts> {
  return ['warn', detail];
}

interface Reason {
  reason: string;
}
interface Count {
  count: number;
}
interface Free {
  freeBytes: number;
}
interface Loops extends Reason, Count {
  loops: readonly string[];
}
interface Directory {
  directory: string;
  /** In octal digits. */
  mode: string;
}
interface Waiting extends Count {
  /** Of the channel, or of the job. */
  name: string;
  since: string;
}
interface Unaccounted extends Count {
  unaccounted: number;
  unexpected: number;
  since: string;
  checkedAt: string;
}
interface Lost {
  at: string;
  calls: number;
  outcomes: number;
}

/** What a jobd that serves finds. */
const served = {
  // What it cannot do now: while one of these is there, GET /readyz answers 503.
  starting: fail(() => 'jobd is starting'),
  stopping: fail(
    ({ calls }: { calls: number }) => `jobd is stopping: ${counted(calls, 'call')} in flight`,
  ),
  'database-unusable': fail(({ reason }: Reason) => reason),
  'node-outdated': fail(({ reason }: Reason) => reason),
  'disk-full': fail(fullDiskText),
  'reserve-missing': fail(
    ({ freeBytes }: Free) =>
      `${sizeText(freeBytes)} free, and there is no reserve for a full disk: free some space`,
  ),
  'loop-fails': fail((facts: Loops) => `${facts.reason} (${loopsText(facts)})`),
  'calls-wait': fail(({ reason }: Reason) => `calls wait: ${reason}`),

  // What it works in spite of.
  'slots-full': warn(
    ({ slots, since }: { slots: number; since: string }) =>
      `what is due waits for a slot since ${since} (${slots} are in use), and is called late, or missed after a minute: see the longest runs, shorten their timeouts, or raise --slots`,
  ),
  'upkeep-fails': warn(
    (facts: Loops) => `${loopsText(facts)}, while jobs are called (see the log): ${facts.reason}`,
  ),
  'space-short': warn(
    (facts: Shortage) =>
      `${shortageText(facts)}: the oldest history is removed before its time; free space, or raise the limit`,
  ),
  'space-exhausted': warn(
    (facts: Shortage) => `${shortageText(facts)}: no history is left to remove, free space`,
  ),
  'ledger-incomplete': fail(
    ({ unaccounted, unexpected, since, checkedAt }: Unaccounted) =>
      `${unaccounted} due times without a trace, ${unexpected} runs that were not due (checked at ${checkedAt}): jobd ledger check --since ${since}`,
  ),
  'ledger-unchecked': warn(
    ({ checkedAt }: { checkedAt: string }) =>
      `last checked at ${checkedAt}, jobd serve does it once a day: look in its log for why not, and run jobd ledger check`,
  ),
  'time-zones-old': warn(
    ({ data }: { data: string }) =>
      `the time-zone data is old (${data}), so calls may be an hour off where a law has changed: update tzdata on this machine, or jobd`,
  ),
  'commits-lost': warn(
    ({ at, calls, outcomes }: Lost) =>
      `at ${at} a node found that the database had lost what it had confirmed, ${counted(calls, 'call')} and ${counted(outcomes, 'outcome')} of that node among it: look at what ran in the moments before`,
  ),
  'node-gone': warn(
    ({ since }: { since: string }) =>
      `a node gave no sign of life after ${since}, its calls were interrupted, and no other has started on its host since: see its log and start it again; if it is not to serve any more, ignore this, which ends within a day`,
  ),
  'nodes-differ': warn(
    ({ option }: { option: string }) => `nodes differ in ${option}: give all of them the same`,
  ),
  'base-url-missing': warn(
    () =>
      'no node has a base URL, so links in alerts and receipts name the address of one node: give all of them the same --base-url (JOBD_BASE_URL)',
  ),
  'server-clock-wrong': warn(
    ({ lead, nodes }: { lead: string; nodes: number }) =>
      `the clock of the server of the database is ${lead}, compared with all ${nodes} nodes, and due times go by it: set it`,
  ),
  'node-clock-wrong': warn(({ lead, isEach }: { lead: string; isEach: boolean }) =>
    isEach
      ? `the clock of a node is ${lead}, compared with that of the database, which due times go by: set one of them`
      : `the clock of a node is ${lead}: set it`,
  ),
  'lease-wrong': warn(
    ({ seconds, longest }: { seconds: number; longest: number }) =>
      `a lease would end in ${seconds} s, and none lasts longer than ${longest} s: the clock of the server of the database was set back, and its node has not renewed it since; end that process if it hangs`,
  ),
  'backup-missing': warn(() => 'no backup yet: jobd serve makes the first one soon'),
  'backup-fails': warn(
    ({ since }: { since: string }) =>
      `backups fail since ${since}: fix that, or make one with jobd backup FILE`,
  ),
  'backup-none': fail(
    ({ since }: { since: string }) =>
      `backups fail since ${since}, and there is none: fix that, or make one with jobd backup FILE`,
  ),
  'backup-lost': fail(
    () => 'the newest backup is gone or was changed: make another one with jobd backup FILE',
  ),
  'backup-old': fail(
    ({ at }: { at: string }) =>
      `the newest backup is old, of ${at}: make another one with jobd backup FILE`,
  ),
};

/** What only `jobd doctor` looks for. */
const examined = {
  'check-failed': fail(({ reason }: Reason) => reason),
  'settings-invalid': fail(({ reason }: Reason) => reason),
  'settings-ignored': warn(({ reason }: Reason & Count) => reason),
  'directory-writable': fail(
    ({ directory, mode }: Directory) =>
      `other users can write to ${directory} (mode ${mode}): chmod 700 it`,
  ),
  'directory-readable': warn(
    ({ directory, mode }: Directory) =>
      `other users can read ${directory} (mode ${mode}): chmod 700 it`,
  ),
  'directory-of-another': warn(
    ({ directory, owner, user }: { directory: string; owner: number; user: number }) =>
      `${directory} belongs to user ${owner}, this command runs as user ${user}`,
  ),
  'disk-low': warn(
    ({ freeBytes }: Free) =>
      `${sizeText(freeBytes)} free, which is soon too little: free some space`,
  ),
  'database-damaged': fail(
    ({ path, damage }: { path: string; damage: readonly string[] }) =>
      `${path} is damaged: ${damage.join('; ')}; restore a backup: jobd restore FILE`,
  ),
  'database-locked': fail(
    ({ path }: { path: string }) =>
      `another program keeps ${path} locked, and nothing can be called or stored until it ends: fuser -v ${path} names those that have it open`,
  ),
  'database-moved': fail(({ reason }: Reason) => reason),
  'database-empty': warn(() => 'the database is empty: jobd serve makes the tables'),
  'schema-newer': fail(
    ({ version, known }: { version: number; known: number }) =>
      `version ${version} is from a newer jobd, this one knows ${known}: use that version`,
  ),
  'schema-older': warn(
    ({ version, known }: { version: number; known: number }) =>
      `version ${version}; the next start updates it to ${known}: back it up first`,
  ),
  'schema-changed': fail(
    ({ differences }: { differences: readonly string[] } & Count) =>
      `${differences.slice(0, 3).join('; ')}: find out who changed the database, and undo it or restore a backup`,
  ),
  'access-refused': fail(({ reason }: Reason) => reason),
  'access-public': warn(
    () => 'every role of the server may connect to this database, and keep the server busy there',
  ),
  'lock-held': warn(({ lock }: { lock: string } & Count) => lock),
  'dead-rows': warn(
    ({ table, dead, live }: { table: string; dead: number; live: number }) =>
      `the table ${table} has ${dead} dead rows beside ${live}, which the server has not removed: if that stays so, jobd becomes slower and the database larger`,
  ),
  'master-key-missing': fail(({ reason }: Reason) => reason),
  'rotation-interrupted': warn(() => 'a rotation was interrupted: jobd secrets rotate'),
  'secrets-unchecked': fail(
    () =>
      'not checked: they need the master key; repair that first, and change no job or channel until then',
  ),
  'secrets-unreadable': fail(
    ({ count, of, names, remedy }: Count & { of: number; names: string; remedy: string }) =>
      `${count} of ${of} sealed cannot be opened: ${names}: ${remedy}`,
  ),
  'not-served': warn(notServedText),
  'daemon-down': fail(notServedText),
  'daemon-silent': fail(
    ({ who, since }: { who: string; since: string }) =>
      `${who} gave no sign of life since ${since}: unless it has just begun, it is stopped or hangs, and nothing is called; see its log, and end it if that lasts`,
  ),
  'site-url-guessed': warn(
    ({ url }: { url: string }) =>
      `receipts and links say ${url}, which only works on this machine: set --base-url or JOBD_BASE_URL for jobd serve`,
  ),
  'proxy-untrusted': warn(
    ({ address }: { address: string }) =>
      `requests come through a proxy at ${address} that is not trusted, so all its clients share the limits of one address: set --trusted-proxy ${address} or JOBD_TRUSTED_PROXY for jobd serve`,
  ),
  'clock-behind': fail(
    ({ here, called }: { here: string; called: string }) =>
      `it is ${here} here, and a job was already called at ${called}: set the clock if it is behind; if it was ahead then, there is nothing to do`,
  ),
  'clock-differs': warn(
    ({ lead }: { lead: string }) =>
      `the clock of this machine is ${lead}, compared with the database's, which due times go by: set one of them`,
  ),
  'jobs-overdue': fail(
    ({ count }: Count) => `${overdueText(count)}: see the log of the daemon, and /readyz`,
  ),
  'jobs-wait': warn(({ count }: Count) => `${overdueText(count)}: jobd is not running`),
  'history-above-limit': warn(
    ({ used, kept }: { used: string; kept: string }) =>
      `above the limit (${used}), so the oldest history goes; if that lasts, raise --max-database-size, or delete jobs or monitors; ${kept}`,
  ),
  'history-removed': warn(
    ({ used, kept }: { used: string | null; kept: string }) =>
      `${kept}, as space was short${used === null ? '' : ` (${used})`}: ${used === null ? '' : 'raise --max-database-size, '}free space on the disk, or choose smaller plans`,
  ),
  'alerts-undelivered': warn(
    ({ count }: Count) => `${count} not delivered in the last 7 days: jobd channels deliveries`,
  ),
  'alerts-wait': warn(
    ({ count, name, since }: Waiting) =>
      `${counted(count, 'alert')} to the channel ${name} waiting since ${since}: jobd channels deliveries ${quoted(name)}`,
  ),
  'alerts-muted': warn(
    ({ count }: Count) =>
      `alerts are muted for longer than 24 h, or nearly always, by ${counted(count, 'window')}: jobd windows end WINDOW`,
  ),
  'jobs-held': warn(
    ({ count }: Count) =>
      `jobs are held for longer than 24 h, or nearly always, by ${counted(count, 'window')}: jobd windows end WINDOW`,
  ),
  'mail-server-missing': warn(
    () => 'there are mail channels, but no JOBD_SMTP_URL is known of: check that jobd serve has it',
  ),
  'results-undelivered': warn(
    ({ count }: Count) => `${count} not delivered in the last 7 days: jobd jobs callbacks JOB`,
  ),
  'results-wait': warn(
    ({ count, name, since }: Waiting) =>
      `${counted(count, 'result')} of the job ${name} waiting since ${since}: jobd jobs callbacks ${quoted(name)}`,
  ),
};

const kinds = { ...served, ...examined };

/** The codes of what a jobd that serves may find. */
export const servedCodes = Object.keys(served) as readonly FindingCode[];

function loopsText({ loops }: Pick<Loops, 'loops'>): string {
  return `${loops.join(', ')} ${loops.length === 1 ? 'fails' : 'fail'}`;
}

function notServedText({ place }: { place: string }): string {
  return `no jobd serves ${place}: nothing is called`;
}

function overdueText(count: number): string {
  return `${count} ${count === 1 ? 'job is' : 'jobs are'} overdue by more than a minute`;
}
