/** What somebody pastes into an editor, as the fields of a job. */

import { invalidInput, JobdError } from '../../domain/errors.ts';
import { parseCron } from '../../domain/schedule/cron.ts';
import { foreignHint } from '../../domain/schedule/foreign.ts';
import { nameOfCall, readCommand, whyUncertain } from './command.ts';
import { parseCrontab, type CrontabLine } from './crontab.ts';
import { readCurl } from './curl.ts';
import { whyOtherCopy } from './other-copies.ts';
import type { Remark } from './remark.ts';
import { readTimes } from './times.ts';
import type { ReadCall, WrittenCall } from './written-call.ts';

/** The fields that the text says; a form keeps its own for the others. */
export interface PastedDraft {
  name?: string;
  method?: WrittenCall['method'];
  url?: string;
  headers?: Record<string, string>;
  body?: string | null;
  cronExpr?: string;
  timezone?: string;
  timeoutSeconds?: number;
  retries?: number;
}

export interface Pasted {
  kind: (typeof pastedKinds)[number];
  /** What a job can take of it; null if that is no call. */
  draft: PastedDraft | null;
  /** Parts without an effect on the call. */
  ignored: Remark[];
  /** Parts that a job does in another way. */
  adapted: Remark[];
  /** Parts that a job cannot honour. */
  unhonoured: Remark[];
  /** Why nothing was read, as a sentence without a full stop; null if something was. */
  problem: string | null;
}

/** More characters are no single command: who pastes them waits, and so does everything that the process has to do meanwhile. */
export const longestPasted = 8_192;

/** What the text was taken for. */
export const pastedKinds = ['command', 'crontab', 'url', 'cron', 'unknown'] as const;

const isUrl = /^<?https?:\/\/[^\s<>]+>?$/i;
/** A field that only a schedule has. */
const isField = /^(?:[\d*?,/#~\u2010-\u2015-]|[a-z]{3}(?![a-z])|[LWH](?![a-z]))+$/i;
/** The line of a crontab, by its beginning. */
const isLine = /^-?(?:@[a-z\d]|[\d*]\S*[ \t])/i;
/** The prompt of a shell. `#` may begin a comment, too. */
const prompt = /^(?:[$>%][ \t]+(?=\S)|#[ \t]+(?=(?:sudo[ \t]+)?(?:curl|wget)[ \t]))/;
/** A line that says nothing of a call by itself: empty, a comment or a setting. */
const isBefore = /^[ \t]*(?:#|$)|^[ \t]*[A-Za-z_]\w*[ \t]*=/;

/** Throws `invalid_input`, with what to do, for the body of a request with too long a text. */
export function checkPastedLength(body: unknown): void {
  const { text } = (body ?? {}) as { text?: unknown };
  if (typeof text !== 'string' || text.length <= longestPasted) return;
  const limit = `text must be at most ${longestPasted} characters, got ${text.length}`;
  throw invalidInput(`${limit}: ${shorter}`);
}

/** Reads what was pasted. Never throws. */
export function readPasted(pasted: string): Pasted {
  if (pasted.trim().length <= longestPasted) return readWritten(pasted);
  return unread('unknown', `it has more than ${longestPasted} characters: ${shorter}`);
}

/** Reads a command, a line of a crontab, a URL or a schedule, however long. Never throws. */
export function readWritten(written: string): Pasted {
  // Examples often begin with a prompt.
  const text = written.trim().replaceAll('\r\n', '\n').replace(prompt, '');
  const copied = whyOtherCopy(text);
  if (copied !== null) return unread('unknown', copied);
  if (isUrl.test(text)) return urlOf(text.replace(/^<|>$/g, ''));
  if (isSchedule(text)) return scheduleOf(text);
  const first = text.split('\n').find((line) => !isBefore.test(line));
  const read = first !== undefined && isLine.test(first) ? null : readCommand(text);
  if (read !== null && read.tool !== null) return fromRead('command', read);
  return crontabOf(text) ?? unread('unknown', whatIsRead);
}

/** Whether a text is the times of a job alone, in the form of cron or of another program. */
function isSchedule(text: string): boolean {
  // More characters are no schedule.
  if (text.length > 200 || text.includes('\n')) return false;
  const words = text.split(/[ \t]+/);
  if (/^@[a-z]+$/i.test(text) || foreignHint(text) !== null) return true;
  return words.length >= 5 && words.length <= 7 && words.every((word) => isField.test(word));
}

/** Five fields, or what is to be written instead. */
function scheduleOf(text: string): Pasted {
  const { cronExpr, periodSeconds, times } = readTimes(text, text);
  try {
    if (periodSeconds !== null) parseCron(text);
    parseCron(cronExpr);
    return { kind: 'cron', draft: { cronExpr }, ignored: times, ...nothingElse };
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const sentence = error.message
      .replace(/^cronExpr: /, '')
      .replace(/^cronExpr/, 'the expression');
    return unread('cron', sentence);
  }
}

const nothingElse = { adapted: [], unhonoured: [], problem: null };

const shorter =
  'paste one command, or one line of a crontab; jobd jobs create --name NAME --curl COMMAND and jobd import crontab read longer texts';

const whatIsRead =
  'paste a curl or wget command, a line of a crontab that runs one, a URL or five cron fields';

function unread(kind: Pasted['kind'], problem: string): Pasted {
  return { kind, draft: null, ignored: [], adapted: [], unhonoured: [], problem };
}

/** A URL says nothing about the method; a user in it becomes a header. */
function urlOf(text: string): Pasted {
  const { draft, ...read } = fromRead('url', readCurl(['-g', text]));
  if (draft === null) return { draft, ...read };
  const { name = '', url = '', headers = {} } = draft;
  const hasUser = Object.keys(headers).length > 0;
  return { ...read, draft: { name, url, ...(hasUser && { headers }) } };
}

function fromRead(kind: Pasted['kind'], read: ReadCall): Pasted {
  const { partial, ignored, adapted, unhonoured } = read;
  return {
    kind,
    draft: partial && draftOf(partial),
    ignored: fewOf(ignored),
    adapted: fewOf(adapted),
    unhonoured: fewOf(unhonoured),
    problem: null,
  };
}

/** More remarks help nobody. */
const mostRemarks = 20;

function fewOf(remarks: readonly Remark[]): Remark[] {
  const more = remarks.length - mostRemarks;
  const rest = { text: `${more} more`, reason: 'not listed' };
  return [...remarks.slice(0, mostRemarks), ...(more > 0 ? [rest] : [])];
}

function draftOf({ timeoutSeconds, retries, ...request }: WrittenCall): PastedDraft {
  return {
    name: nameOfCall(request.url),
    ...request,
    ...(timeoutSeconds !== null && { timeoutSeconds }),
    ...(retries !== null && { retries }),
  };
}

/** The first line that runs curl or wget, also in a crontab with a column for the user; null if there is none. */
function crontabOf(text: string): Pasted | null {
  for (const isSystem of [false, true]) {
    const { lines } = parseCrontab(text, { isSystem });
    for (const line of lines) {
      const read = readCommand(line.command, line.variables);
      if (read.tool !== null) return fromLine(line, read, lines.length - 1);
    }
  }
  return null;
}

function fromLine(line: CrontabLine, read: ReadCall, others: number): Pasted {
  const problem = whyUncertain(line);
  if (problem !== null) return unread('crontab', problem);
  const { draft, ...rest } = fromRead('crontab', read);
  const { settings, comment } = line;
  const timezone = settings.get('CRON_TZ');
  return {
    ...rest,
    draft: draft && {
      ...draft,
      ...(comment !== null && { name: comment }),
      ...(line.periodSeconds === null && { cronExpr: line.cronExpr }),
      ...(timezone !== undefined && { timezone }),
    },
    ignored: [
      ...rest.ignored,
      ...line.times,
      ...(settings.has('TZ') && timezone === undefined ? [zoneRemark] : []),
      ...(others === 0 ? [] : [othersRemark(others)]),
    ],
    adapted: [
      ...rest.adapted,
      ...(line.periodSeconds === null ? [] : [intervalRemark(line.periodSeconds)]),
    ],
  };
}

const zoneRemark: Remark = {
  text: 'TZ',
  reason: 'it is the zone of the times in some crons only: check the zone',
};

function intervalRemark(seconds: number): Remark {
  return { text: 'its interval', reason: `choose an interval of ${seconds} seconds` };
}

function othersRemark(others: number): Remark {
  return {
    text: others === 1 ? '1 other line' : `${others} other lines`,
    reason: 'one job is made at a time; jobd import crontab reads them all',
  };
}
