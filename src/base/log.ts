/** The log, on stderr: one JSON object per line, or one line for people (`base/log-line.ts`). */

import { destination, stdSerializers } from 'pino';
import type { DestinationStream, Logger, SerializedError } from 'pino';
import { escapeControls } from '../domain/characters.ts';
import { messageOf } from '../domain/errors.ts';
import { isJournal, priorities } from './journal.ts';
import { humanLine } from './log-line.ts';

/** The part of the log that the program uses. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export type LogFormat = 'human' | 'json';

/** Turns a line of JSON into what is written. */
export type LineForm = (line: string) => string;

const asJson: LineForm = (line) => line;

/** Each level as its number in a line (docs/logs.md). */
const levels = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };

/** Opens the log. Errors are logged with type, message and stack under `err`. */
export function openLog(level: LogLevel, form: LineForm = asJson): Log {
  const out = standardError(form);
  const least = level === 'silent' ? Infinity : level === 'trace' ? 0 : levels[level];
  const methods = Object.entries(levels).map(([name, number]) => {
    const write = (given: object | string, message?: string): void =>
      out.write(lineOf(number, given, message));
    return [name, number < least ? () => {} : write];
  });
  return Object.fromEntries(methods) as Log;
}

function lineOf(level: number, given: object | string, message?: string): string {
  const fields: Record<string, unknown> =
    typeof given === 'string' ? { msg: given } : { ...given, msg: message };
  const { err } = fields;
  if (err instanceof Error) fields['err'] = errorOnce(err);
  return `{"level":${level}${timeOfNow()},${jsonOf(fields).slice(1)}\n`;
}

/** What JSON cannot hold must not stop who logs it. */
function jsonOf(fields: Record<string, unknown>): string {
  try {
    return escapeControls(JSON.stringify(fields));
  } catch (error) {
    return JSON.stringify({ unwritable: messageOf(error), msg: fields['msg'] });
  }
}

/**
 * pino adds the words of the cause to those of the error, which often end with them. Of what else an error carries only plain values
 * are written: a certificate refers to itself. What PostgreSQL says beside its message repeats the row, which may hold secrets.
 */
function errorOnce(error: Error): SerializedError {
  const { cause } = error;
  const serialized = stdSerializers.err(error);
  const isSaid = cause instanceof Error && error.message.includes(cause.message);
  if (isSaid) serialized.message = error.message;
  const { detail: _, where: _where, ...rest } = serialized;
  const plain = Object.entries(rest).filter(([, value]) => typeof value !== 'object');
  return Object.fromEntries(plain) as SerializedError;
}

/** What decides how lines look. */
export interface Surroundings {
  noColour: boolean;
  /** The value of JOURNAL_STREAM, by which systemd says where the journal reads; null if it is not set. */
  journalStream: string | null;
}

/**
 * How lines are written: as `format` says; if it is null, for people on a terminal and as JSON elsewhere. Where the
 * journal of systemd reads them, each begins with its priority, `<4>` for a warning (sd-daemon(3)).
 */
export function lineForm(format: LogFormat | null, surroundings: Surroundings): LineForm {
  const { isTTY } = process.stderr;
  const hasColour = isTTY && !surroundings.noColour && process.stderr.hasColors();
  const isHuman = format === null ? isTTY : format === 'human';
  const written: LineForm = isHuman
    ? (line) => humanLine(line, { hasColour, hasDate: !isTTY })
    : asJson;
  if (!isJournal(surroundings.journalStream, 2)) return written;
  return (line) => `<${priorityOf(line)}>${written(line)}`;
}

/** By the level, which is in front of each line. */
function priorityOf(line: string): number {
  const level = Number(/^\{"level":(\d+)/.exec(line)?.[1]);
  if (level >= 60) return priorities.critical;
  if (level >= 50) return priorities.error;
  if (level >= 40) return priorities.warning;
  return level >= 30 ? priorities.info : priorities.debug;
}

let lastMs = NaN;
let lastTime = '';

/** The time of a line. The lines of one millisecond share its text. */
function timeOfNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

/** The most characters that wait to be written; more are lost. */
const mostWaiting = 1024 * 1024;

/**
 * The lines of one turn of the event loop are written together at its end: a storm ends hundreds of runs at once, and a
 * write for each line would delay the calls. Lines are not synced, as this would delay them too.
 */
function standardError(form: LineForm): DestinationStream {
  const out = destination({ dest: 2, sync: true, maxLength: mostWaiting });
  // A full disk, for example: the lines stay in the buffer and are tried again with the next ones.
  out.on('error', () => {});
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') out.write(text);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += form(line);
    },
  };
}
