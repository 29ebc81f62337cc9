/** An alert as text for people: a title and a few lines. */

import type { Alert, AlertData, AlertType, DownSubject, GatheredRuns, StillDown } from './alert.ts';
import { labelWords } from '../labels.ts';
import { whyDown } from '../monitors/status.ts';
import { oneLine } from '../one-line.ts';
import { inTwoUnits } from '../durations.ts';

export interface AlertText {
  title: string;
  lines: string[];
}

/** Longest reason in an alert; the API has all of it. */
const longestReason = 500;

/** `timestamp` is when it happened. */
type Words = (data: AlertData, at: string, timestamp: string) => AlertText;

const wordsFor: Readonly<Record<AlertType, Words>> = {
  'job.failed': ({ job, run }, at) => ({
    title: `${oneLine(job?.name)} failed`,
    lines: [reasonOf(job?.downReason), at, ...runLines(run)],
  }),
  'job.recovered': ({ job, run }, at) => ({
    title: `${oneLine(job?.name)} works again`,
    lines: [at, ...runLines(run)],
  }),
  'monitor.down': ({ monitor }, at) => ({
    title: `${oneLine(monitor?.name)} is down`,
    lines: [
      ...(monitor ? [whyDown(monitor.missedDueAt)] : []),
      `last ping: ${monitor?.lastPingAt ?? 'none'}`,
      at,
      `monitor ${monitor?.id ?? ''}`,
    ],
  }),
  'monitor.up': ({ monitor }, at) => ({
    title: `${oneLine(monitor?.name)} is up again`,
    lines: [at, `monitor ${monitor?.id ?? ''}`],
  }),
  'job.missed': ({ runs }, at) => runsText(runs, at, { verb: 'missed', one: 'missed its time' }),
  'job.interrupted': ({ runs }, at) =>
    runsText(runs, at, { verb: 'interrupted', one: 'was interrupted' }),
  'run.finished': ({ job, run }, at) => ({
    title: `A run of ${oneLine(job?.name)} is over: ${run?.status ?? ''}`,
    lines: [at, ...runLines(run)],
  }),
  reminder: ({ down }, at, timestamp) => downText(down, at, timestamp),
  test: ({ channel }, at) => ({
    title: `Test of ${oneLine(channel?.name)}`,
    lines: ['Alerts of jobd will arrive here.', at],
  }),
};

/** The text of an alert. Each name and reason is on one line, and so are the labels at the end. */
export function textOf({ type, timestamp, data }: Alert): AlertText {
  const { title, lines } = wordsFor[type](data, `at ${timestamp}`, timestamp);
  const labels = labelWords(data.job?.labels ?? data.monitor?.labels);
  return { title, lines: labels === '' ? lines : [...lines, cut(oneLine(labels), longestReason)] };
}

/** All of it as plain text of at most `longest` UTF-16 units. */
export function plainText({ title, lines }: AlertText, longest: number): string {
  return cut([title, ...lines].join('\n'), longest);
}

/** Cuts a text to `longest` UTF-16 units, between two characters, with an ellipsis. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function reasonOf(reason: string | null | undefined): string {
  return cut(oneLine(reason ?? 'no reason is known'), longestReason);
}

function runLines(run: AlertData['run']): string[] {
  if (run === undefined) return [];
  const attempts = run.attempts === 1 ? '1 attempt' : `${run.attempts} attempts`;
  return [`${attempts}, ${run.durationMs ?? 0} ms`, `job ${run.jobId}`, `run ${run.id}`];
}

function runsText(
  runs: GatheredRuns | undefined,
  at: string,
  { verb, one }: { verb: string; one: string },
): AlertText {
  const { count = 0, from = '', to = '', reasons = [], first = [] } = runs ?? {};
  const why = reasons.map((reason) => cut(oneLine(reason), longestReason));
  const due = from === to ? `due ${from}` : `due between ${from} and ${to}`;
  const [only] = first;
  if (count === 1 && only !== undefined) {
    return {
      title: `${oneLine(only.job.name)} ${one}`,
      lines: [due, ...why, at, `job ${only.job.id}`, `run ${only.id}`],
    };
  }
  const names = [...new Set(first.map(({ job }) => oneLine(job.name)))].join(', ');
  const more = count > first.length ? `, and ${count - first.length} more` : '';
  return {
    title: count === 1 ? `A run was ${verb}` : `${count} runs were ${verb}`,
    lines: [due, ...why, ...(names === '' ? [] : [`${names}${more}`]), at],
  };
}

function downText(down: StillDown | undefined, at: string, timestamp: string): AlertText {
  const { count = 0, first = [] } = down ?? {};
  const [only] = first;
  if (count === 1 && only !== undefined) {
    const { type, id, name, reason } = only;
    return {
      title: `${oneLine(name)} is still down`,
      lines: [
        downFor(only, timestamp),
        ...(reason === null ? [] : [reasonOf(reason)]),
        at,
        `${type} ${id}`,
      ],
    };
  }
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  return {
    title: `${count} ${kindsOf(down)} are still down`,
    lines: [...first.map((one) => `${oneLine(one.name)}: ${downFor(one, timestamp)}`), ...more, at],
  };
}

/** `jobs` if all are known to be jobs, else `jobs and monitors`. */
function kindsOf({ count = 0, first = [] }: Partial<StillDown> = {}): string {
  const kinds = new Set(first.map(({ type }) => type));
  const [only] = kinds;
  return kinds.size === 1 && count === first.length ? `${only}s` : 'jobs and monitors';
}

/** `for 3 h 5 min, 12 failures in a row, since 2026-03-02T07:06:00.000Z` */
function downFor({ since, failures }: DownSubject, timestamp: string): string {
  const parts: string[] = [];
  if (since !== null) {
    const seconds = Math.max(0, Math.floor((Date.parse(timestamp) - Date.parse(since)) / 1_000));
    parts.push(`for ${inTwoUnits(seconds, { minute: 'min' })}`);
  }
  if (failures === 1) parts.push('1 failure');
  else if (failures !== null && failures > 1) parts.push(`${failures} failures in a row`);
  if (since !== null) parts.push(`since ${since}`);
  return parts.join(', ');
}
