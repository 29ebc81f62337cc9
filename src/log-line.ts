/**
 * The human form of the log: one line per event, for a terminal. The events are those of docs/logs.md; any other gets its
 * message and its fields. Names and errors come from outside, so control characters in them are escaped.
 */

import { styleText } from 'node:util';
import { showControls } from './domain/characters.ts';
import { inTwoUnits } from './domain/durations.ts';

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
    const { status, durationMs, attempts, latenessMs, error } = fields;
    const word = paint(statusColours[textOf(status)] ?? 'red', textOf(status));
    const after = typeof durationMs === 'number' ? ` after ${durationText(durationMs)}` : '';
    const tries = Number(attempts) > 1 ? `, ${textOf(attempts)} attempts` : '';
    const late = Number(latenessMs) >= 1_000 ? `, ${durationText(Number(latenessMs))} late` : '';
    return `${subject(fields, 'job')}: ${word}${after}${tries}${late}${because(withoutWord(error, status))}`;
  },
  'run missed': (fields, paint) => {
    const why = withoutWord(fields['error'], 'missed');
    return `${subject(fields, 'job')}: ${paint('yellow', 'missed')}${because(localTimes(why, fields))}`;
  },
  'monitor changed': (fields, paint) => {
    const to = textOf(fields['to']);
    const since = fields['dueAt'] ? `, no ping since it was due at ${moment(fields, 'dueAt')}` : '';
    const more = fields['changed'] ? ` (${textOf(fields['changed'])} changes)` : '';
    return `monitor ${subject(fields, 'monitor')}: ${paint(statusColours[to] ?? 'gray', to)}${since}${more}`;
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
  'alert delivered': (fields) => `alert sent to ${channel(fields)}: ${news(fields)}`,
  'alert not delivered, will try again': (fields) =>
    `alert not sent to ${channel(fields)}, next try ${moment(fields, 'nextAttemptAt')}: ` +
    `${news(fields)}${inBrackets(fields['error'])}`,
  'alert given up': (fields) =>
    `alert given up to ${channel(fields)}: ${news(fields)}${inBrackets(fields['error'])}`,
  changed: (fields) => {
    const { action, subjectName, subjectId, actorName, actorId, fields: changed } = fields;
    const names = Array.isArray(changed) && changed.length > 0 ? ` (${changed.join(', ')})` : '';
    const what = `${textOf(action)} ${textOf(subjectName) || textOf(subjectId)}${names}`;
    return `${what} by ${textOf(actorName) || textOf(actorId)}`;
  },
  'jobd started': (fields) => {
    const { version, url, baseUrl, dataDir, jobs, monitors, nextDueAt } = fields;
    const site = baseUrl === null ? '' : `, base URL ${textOf(baseUrl)}`;
    const place = `jobd ${textOf(version)} started on ${textOf(url)}${site}, data in ${textOf(dataDir)}`;
    if (jobs === undefined) return place;
    const next = nextDueAt === null ? 'nothing is due' : `next due ${moment(fields, 'nextDueAt')}`;
    return `${place}: ${counted(jobs, 'job')}, ${counted(monitors, 'monitor')}, ${next}`;
  },
  'stopping, a second signal stops at once': (fields) => {
    const { signal, calls, waitMs } = fields;
    const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
    if (calls === 0) return `stopping (${textOf(signal)}): no calls in flight`;
    const waits = `waiting up to ${durationText(Number(waitMs))} for ${counted(calls, 'call')}`;
    return `stopping (${textOf(signal)}): ${waits}; ${again} stops at once`;
  },
};

/** What is in every line, or has its own place. */
const ownPlace = new Set(['level', 'time', 'msg', 'err', 'error']);

function messageWithFields(message: string, fields: Fields): string {
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    ownPlace.has(name) || value === null ? [] : [`${name} ${textOf(value)}`],
  );
  const { err, error } = fields;
  const why = (err as { message?: unknown } | undefined)?.message ?? error;
  return message + because(why) + (shown.length > 0 ? ` (${shown.join(', ')})` : '');
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
  const { event } = fields;
  if (event === 'test') return 'a test';
  const name = subject(fields, fields['job'] === undefined ? 'monitor' : 'job');
  return `${name} is ${event === 'job.failed' || event === 'monitor.down' ? 'down' : 'up again'}`;
}

function counted(count: unknown, noun: string): string {
  return `${textOf(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function because(why: unknown): string {
  return why === null || why === undefined || why === '' ? '' : `: ${textOf(why)}`;
}

function inBrackets(why: unknown): string {
  return ` (${textOf(why)})`;
}

/** An error without the status at its front, which the line has already; `http: 500` becomes `HTTP 500`. */
function withoutWord(error: unknown, status: unknown): string {
  const text = error === null ? '' : textOf(error);
  const word = `${textOf(status)}: `;
  return (text.startsWith(word) ? text.slice(word.length) : text).replace(/^http: /, 'HTTP ');
}

const isoTimes = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A text with its times as local ones. */
function localTimes(text: string, fields: Fields): string {
  return text.replace(isoTimes, (iso) => localMoment(iso, textOf(fields['time'])));
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
  return typeof value === 'string' ? value : showControls(JSON.stringify(value) ?? '');
}

/** The fields of a line, with the control characters of all texts escaped; null if it is no line of the log. */
function parse(line: string): Fields | null {
  try {
    return JSON.parse(line, (_, value: unknown) =>
      typeof value === 'string' ? showControls(value) : value,
    ) as Fields;
  } catch {
    return null;
  }
}
