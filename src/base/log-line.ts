/**
 * The human form of the log: one line per event, for a terminal. The events are those of docs/logs.md; any other gets its
 * message and its fields in words. Names and errors come from outside, so control characters in them are escaped.
 */

import { styleText } from 'node:util';
import { ifPossible } from '../domain/errors.ts';
import { didWords } from '../domain/accounts/audit-words.ts';
import type { AuditAction } from '../domain/accounts/audit.ts';
import { alertNews } from '../domain/alerts/logged-alert.ts';
import { showControls } from '../domain/characters.ts';
import { counted } from '../domain/counted.ts';
import { inTwoUnits } from '../domain/durations.ts';
import { fieldWord } from '../domain/field-words.ts';
import { errorDetail, readWhy, type WhyDocument } from '../domain/runs/reason.ts';
import { sizeText } from '../domain/sizes.ts';

export interface LineStyle {
  hasColour: boolean;
  /** Whether lines begin with the date too: without a terminal somebody may read them much later. */
  hasDate: boolean;
}

/** The fields of a line of the log, as JSON has them. */
type Fields = Readonly<Record<string, unknown>>;
type Colour = 'red' | 'yellow' | 'green' | 'gray';
type Paint = (colour: Colour, text: string) => string;

/** A line of JSON as a human line. What is no line of the log is returned as it is. */
export function humanLine(line: string, { hasColour, hasDate }: LineStyle): string {
  const fields = parse(line);
  if (fields === null) return line;
  const paint: Paint = (colour, text) =>
    hasColour ? styleText(colour, text, { validateStream: false }) : text;
  const at = new Date(textOf(fields['time']));
  const time = paint('gray', (hasDate ? `${dateOf(at)} ` : '') + timeOf(at));
  const message = textOf(fields['msg']);
  const withStatus = statusSentences[message]?.(fields, paint);
  if (withStatus !== undefined) return `${time}  ${withStatus}\n`;
  const sentence = sentences[message]?.(fields) ?? messageWithFields(message, fields);
  return `${time}  ${levelWord(Number(fields['level']), paint)}${sentence}\n`;
}

/** Lines that a status says the level of. */
const statusSentences: Readonly<Record<string, (fields: Fields, paint: Paint) => string>> = {
  'run ended': (fields, paint) => {
    const { status, durationMs, attempts, latenessMs } = fields;
    const word = paint(statusColours[textOf(status)] ?? 'red', textOf(status));
    const after = typeof durationMs === 'number' ? ` after ${durationText(durationMs)}` : '';
    const tries = Number(attempts) > 1 ? `, ${textOf(attempts)} attempts` : '';
    const late = Number(latenessMs) >= 1_000 ? `, ${durationText(Number(latenessMs))} late` : '';
    return `${subject(fields, 'job')}: ${word}${after}${tries}${late}${because(whyEnded(fields))}`;
  },
  'run missed': (fields, paint) => {
    return `${subject(fields, 'job')}: ${paint('yellow', 'missed')}${because(whyOf(fields))}`;
  },
  'monitor changed': (fields, paint) => {
    const to = textOf(fields['to']);
    const since = fields['since'] ? ` since ${moment(fields, 'since')}` : '';
    const overdue = fields['dueAt']
      ? `, no successful ping since it was due at ${moment(fields, 'dueAt')}`
      : '';
    const more = fields['changed'] ? ` (${textOf(fields['changed'])} changes)` : '';
    return `monitor ${subject(fields, 'monitor')}: ${paint(statusColours[to] ?? 'gray', to)}${since}${overdue}${more}`;
  },
};

const statusColours: Readonly<Record<string, Colour>> = {
  success: 'green',
  up: 'green',
  failed: 'red',
  down: 'red',
  interrupted: 'yellow',
};

const sentences: Readonly<Record<string, (fields: Fields) => string>> = {
  'run waits': (fields) => {
    const longest = durationText(Number(fields['reportWithinSeconds']) * 1_000);
    return `${subject(fields, 'job')}: answered ${textOf(fields['httpStatus'])}, waits for its report for up to ${longest}`;
  },
  'alert delivered': (fields) => `alert sent to ${channel(fields)}: ${news(fields)}`,
  'alert not delivered, will try again': (fields) =>
    `alert not sent to ${channel(fields)}, next try ${moment(fields, 'nextAttemptAt')}: ` +
    `${news(fields)}${inBrackets([textOf(fields['error'])])}`,
  'alert given up': (fields) =>
    `alert given up to ${channel(fields)}: ${news(fields)}${inBrackets([textOf(fields['error'])])}`,
  changed: (fields) => {
    const [action, fieldNames] = [textOf(fields['action']) as AuditAction, fields['fields']];
    const [actor, subjectId] = [textOf(fields['actorId']), textOf(fields['subjectId'])];
    const { words, isNamed } = didWords({
      action,
      actor: { id: actor },
      subject: { id: subjectId },
    });
    const who = textOf(fields['actorName']) || `${textOf(fields['actorType'])} ${actor}`;
    const named = isNamed ? ` ${textOf(fields['subjectName']) || subjectId}` : '';
    const names = Array.isArray(fieldNames)
      ? fieldNames.map((name) => fieldWord(textOf(name)))
      : [];
    return `${who} ${words}${named}${inBrackets([...new Set(names)])}`;
  },
  pruned: ({ removed, databaseBytes, freeBytes }) => {
    const rows = Object.entries(removed as Fields);
    const what = rows.map(([name, count]) => countedField(name, Number(count))).join(', ');
    const [size, free] = [sizeText(Number(databaseBytes)), sizeText(Number(freeBytes))];
    return `removed what is past its retention: ${what}; the database has ${size}, ${free} of it free`;
  },
  'jobd started': (fields) => {
    const { version, url, baseUrl, dataDir, database, jobs, monitors, nextDueAt } = fields;
    const site = baseUrl === null ? '' : `, base URL ${textOf(baseUrl)}`;
    const place = `jobd ${textOf(version)} started on ${textOf(url)}${site}, data in ${textOf(dataDir ?? database)}`;
    if (jobs === undefined) return place;
    const next = nextDueAt === null ? 'nothing is due' : `next due ${moment(fields, 'nextDueAt')}`;
    return `${place}: ${counted(Number(jobs), 'job')}, ${counted(Number(monitors), 'monitor')}, ${next}`;
  },
  'stopping, a second signal stops at once': (fields) => {
    const { signal, calls, waitMs } = fields;
    const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
    if (calls === 0) return `stopping (${textOf(signal)}): no calls in flight`;
    const waits = `waiting up to ${durationText(Number(waitMs))} for ${counted(Number(calls), 'call')}`;
    return `stopping (${textOf(signal)}): ${waits}; ${again} stops at once`;
  },
};

/** What is in every line, or has its own place. */
const ownPlace = new Set(['level', 'time', 'msg', 'err', 'error', 'facts', 'loop']);

function messageWithFields(message: string, fields: Fields): string {
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    ownPlace.has(name) || isId(name) || value === null ? [] : [fieldText(name, value)],
  );
  const { err, error } = fields;
  const why = (err as { message?: unknown } | undefined)?.message ?? error;
  return message + because(why) + inBrackets(shown);
}

/** Ids stand beside names, and are for programs. */
function isId(name: string): boolean {
  return /Ids?$/.test(name);
}

/** A field in words: `trouble EMFILE`, `pause 1.6 s`, `3 failures`. */
function fieldText(name: string, value: unknown): string {
  if (typeof value !== 'number') return `${fieldWord(name)} ${textOf(value)}`;
  const [, quantity = '', unit] = /^(.*?)(Ms|Bytes)?$/.exec(name) ?? [];
  if (unit === 'Ms') return `${fieldWord(quantity)} ${durationText(value)}`;
  if (unit === 'Bytes') return `${fieldWord(quantity)} ${sizeText(value)}`;
  return name.endsWith('s') ? countedField(name, value) : `${fieldWord(name)} ${value}`;
}

/** A count of what the field is named after: `1 audit entry`. */
function countedField(name: string, count: number): string {
  const words = fieldWord(name);
  const noun = count === 1 ? words.replace(/ies$/, 'y').replace(/s$/, '') : words;
  return `${count} ${noun}`;
}

/** The name of what a line is about, with its workspace if there is more than one. */
function subject(fields: Fields, kind: 'job' | 'monitor'): string {
  const name = textOf(fields[kind]);
  return fields['workspace'] === undefined ? name : `${textOf(fields['workspace'])}/${name}`;
}

function channel({ channel: name, channelType }: Fields): string {
  return `${textOf(name)} (${textOf(channelType)})`;
}

/** What an alert says. */
function news(fields: Fields): string {
  const { event, workspace, count } = fields;
  const kind = (['job', 'monitor'] as const).find((name) => fields[name] !== undefined);
  const about = {
    name: kind === undefined ? null : subject(fields, kind),
    count: typeof count === 'number' ? count : null,
  };
  const isGathered = about.count !== null && workspace !== undefined;
  return (isGathered ? `${textOf(workspace)}: ` : '') + alertNews(textOf(event), about);
}

function because(why: unknown): string {
  return why === null || why === undefined || why === '' ? '' : `: ${textOf(why)}`;
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Why a run was no success, without the status, which the line has already. */
function whyEnded(fields: Fields): unknown {
  const { status, reason, httpStatus, error } = fields;
  if (reason === 'http') return `HTTP ${textOf(httpStatus)}`;
  return status === 'interrupted' ? whyOf(fields) : error;
}

/** Why a run was missed or interrupted, with its times as local ones. */
function whyOf(fields: Fields): string {
  const known = { dueAt: textOf(fields['dueAt']), httpStatus: null };
  const why = readWhy(fields as unknown as WhyDocument, known);
  const now = textOf(fields['time']);
  const { first = null, from = null } = why.missed ?? {};
  const isOtherDay = (at: number | null): boolean =>
    at !== null && dateOf(new Date(at)) !== dateOf(new Date(now));
  // Beside a time with its date, one without would seem to be of that day.
  const isOfDays = [first, from].some(isOtherDay);
  return errorDetail(why, (iso) => localMoment(iso, isOfDays ? '' : now));
}

function moment(fields: Fields, name: string): string {
  return localMoment(textOf(fields[name]), textOf(fields['time']));
}

/** A local time; with its date if that is another day than `now`. */
function localMoment(iso: string, now: string): string {
  const at = new Date(iso);
  const date = dateOf(at);
  return date === dateOf(new Date(now)) ? timeOf(at) : `${date} ${timeOf(at)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

function timeOf(at: Date): string {
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function dateOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`;
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  return inTwoUnits(Math.round(ms / 1_000), { minute: 'min' });
}

function levelWord(level: number, paint: Paint): string {
  if (level >= 60) return `${paint('red', 'fatal')}  `;
  if (level >= 50) return `${paint('red', 'error')}  `;
  if (level >= 40) return `${paint('yellow', 'warn')}  `;
  return level >= 30 ? '' : `${paint('gray', 'debug')}  `;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  return typeof value === 'string' ? value : showControls(JSON.stringify(value) ?? '');
}

/** The fields of a line, with the control characters of all texts escaped; null if it is no line of the log. */
function parse(line: string): Fields | null {
  return ifPossible(() => JSON.parse(line, shownValue) as Fields) ?? null;
}

function shownValue(_: string, value: unknown): unknown {
  return typeof value === 'string' ? showControls(value) : value;
}
