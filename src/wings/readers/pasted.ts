/** What somebody pastes into an editor, as the fields of a job. */

import { invalidInput } from '../../domain/errors.ts';
import { nameOfCall, readCommand, whyUncertain } from './command.ts';
import { parseCrontab } from './crontab.ts';
import type { CrontabLine } from './crontab.ts';
import { readCurl } from './curl.ts';
import type { Remark } from './remark.ts';
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

/** What was read. */
export interface Pasted {
  kind: (typeof pastedKinds)[number];
  /** What a job can take of it; null if that is no call. */
  draft: PastedDraft | null;
  /** Parts without an effect on the call. */
  ignored: Remark[];
  /** Parts that a job cannot honour. */
  unhonoured: Remark[];
  /** Why nothing was read, as a sentence without a full stop; null if something was. */
  problem: string | null;
}

/** More characters are no single command: who pastes them waits, and so does everything that the process has to do meanwhile. */
export const longestPasted = 8_192;

/** What the text was taken for. */
export const pastedKinds = ['command', 'crontab', 'url', 'cron', 'unknown'] as const;

const isUrl = /^https?:\/\/\S+$/i;
const isCommand = /^(?:\S*\/)?(?:curl|wget)\s/;
/** Five fields or a nickname, alone. */
const isCron = /^(?:@[a-z]+|[\d*,/-]+[ \t]+[\d*,/-]+(?:[ \t]+[\w*,/#-]+){3})$/i;

/** Throws `invalid_input`, with what to do, for the body of a request with too long a text. */
export function checkPastedLength(body: unknown): void {
  const { text } = (body ?? {}) as { text?: unknown };
  if (typeof text !== 'string' || text.length <= longestPasted) return;
  const limit = `text must be at most ${longestPasted} characters, got ${text.length}`;
  throw invalidInput(`${limit}: ${shorter}`);
}

/** Reads what was pasted. Never throws. */
export function readPasted(pasted: string): Pasted {
  // Examples often begin with a prompt.
  const text = pasted.trim().replace(/^\$ +/, '');
  if (text.length > longestPasted) {
    return unread('unknown', `it has more than ${longestPasted} characters: ${shorter}`);
  }
  if (isUrl.test(text)) return urlOf(text);
  if (isCommand.test(text)) return fromRead('command', readCommand(text));
  if (isCron.test(text)) {
    const cronExpr = text.replaceAll(/[ \t]+/g, ' ');
    return { kind: 'cron', draft: { cronExpr }, ignored: [], unhonoured: [], problem: null };
  }
  return crontabOf(text) ?? unread('unknown', whatIsRead);
}

const shorter =
  'paste one command, or one line of a crontab; jobd jobs create --curl and jobd import crontab read longer texts';

const whatIsRead =
  'paste a curl or wget command, a line of a crontab that runs one, a URL or five cron fields';

function unread(kind: Pasted['kind'], problem: string): Pasted {
  return { kind, draft: null, ignored: [], unhonoured: [], problem };
}

/** A URL says nothing about the method; a user in it becomes a header. */
function urlOf(text: string): Pasted {
  const { draft, ...read } = fromRead('url', readCurl(['-g', text]));
  if (draft === null) return { draft, ...read };
  const { name = '', url = '', headers = {} } = draft;
  const hasUser = Object.keys(headers).length > 0;
  return { ...read, draft: { name, url, ...(hasUser && { headers }) } };
}

function fromRead(kind: Pasted['kind'], { partial, ignored, unhonoured }: ReadCall): Pasted {
  return {
    kind,
    draft: partial && draftOf(partial),
    ignored: fewOf(ignored),
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
      const read = readCommand(line.command);
      if (read.tool !== null) return fromLine(line, read, lines.length - 1);
    }
  }
  return null;
}

function fromLine(line: CrontabLine, read: ReadCall, others: number): Pasted {
  const problem = whyUncertain(line);
  if (problem !== null) return unread('crontab', problem);
  const { draft, ...rest } = fromRead('crontab', read);
  const { settings, comment, cronExpr } = line;
  const timezone = settings.get('CRON_TZ');
  return {
    ...rest,
    draft: draft && {
      ...draft,
      ...(comment !== null && { name: comment }),
      cronExpr,
      ...(timezone !== undefined && { timezone }),
    },
    ignored: [
      ...rest.ignored,
      ...(settings.has('TZ') && timezone === undefined ? [zoneRemark] : []),
      ...(others === 0 ? [] : [othersRemark(others)]),
    ],
  };
}

const zoneRemark: Remark = {
  text: 'TZ',
  reason: 'it is the zone of the times in some crons only: check the zone',
};

function othersRemark(others: number): Remark {
  return {
    text: others === 1 ? '1 other line' : `${others} other lines`,
    reason: 'one job is made at a time; jobd import crontab reads them all',
  };
}
