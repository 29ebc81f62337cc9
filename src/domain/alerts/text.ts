/** An alert as text for people: a title and a few lines. */

import type { Alert, AlertData, AlertType } from './alert.ts';

export interface AlertText {
  title: string;
  lines: string[];
}

/** Longest reason in an alert; the API has all of it. */
const longestReason = 500;

type Words = (data: AlertData, at: string) => AlertText;

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
    lines: [`last ping: ${monitor?.lastPingAt ?? 'none'}`, at, `monitor ${monitor?.id ?? ''}`],
  }),
  'monitor.up': ({ monitor }, at) => ({
    title: `${oneLine(monitor?.name)} is up again`,
    lines: [at, `monitor ${monitor?.id ?? ''}`],
  }),
  test: ({ channel }, at) => ({
    title: `Test of ${oneLine(channel?.name)}`,
    lines: ['Alerts of jobd will arrive here.', at],
  }),
};

/** The text of an alert. Each name and reason is on one line. */
export function textOf({ type, timestamp, data }: Alert): AlertText {
  return wordsFor[type](data, `at ${timestamp}`);
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

/**
 * Text on one line: line breaks, control characters and marks of writing direction become blanks, so that no name can add a
 * header or a line, or look like something else.
 */
export function oneLine(text: string | undefined): string {
  return (
    (text ?? '')
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are removed here
      .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ')
      .trim()
  );
}

function reasonOf(reason: string | null | undefined): string {
  return cut(oneLine(reason ?? 'no reason is known'), longestReason);
}

function runLines(run: AlertData['run']): string[] {
  if (run === undefined) return [];
  const attempts = run.attempts === 1 ? '1 attempt' : `${run.attempts} attempts`;
  return [`${attempts}, ${run.durationMs ?? 0} ms`, `job ${run.jobId}`, `run ${run.id}`];
}
