/** What an error of PostgreSQL, or of the way to it, means. */

import { JobdError, systemCode } from '../../domain/errors.ts';

/**
 * Codes that are not the statement's fault: connection (08), resources (53), the server stops or starts (57P), a database
 * that is only read (25006), locks that were not to be had (55P03), and a server that cannot read or write its files (58, XX).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const unusable = /^(08...|53...|57P..|57014|25006|25P0[34]|55P03|58...|XX...|28...|3D000)$/;

/** A server that is a copy, or is told to change nothing. */
const readOnly = '25006';

/** A prepared statement that this connection of the server does not know, or knows already. */
const names = new Set(['26000', '42P05']);

/** Another transaction was faster, or a statement was not prepared here: from the beginning, it may succeed. */
const again = new Set(['40001', '40P01', ...names]);

/** `pg` has no codes for what it says itself. */
const broken = /timeout|Connection terminated|not queryable|connection error|closed/i;

/** The same, in words that say what is wrong. */
const plainWords: Readonly<Record<string, string>> = {
  'Query read timeout': 'the database did not answer in time',
  'timeout expired': 'the database did not accept a connection in time',
  'Connection terminated due to connection timeout':
    'the database did not accept a connection in time',
  'Connection terminated unexpectedly': 'the connection to the database broke',
};

/** Whether the same work may succeed if it begins anew. */
export function isWorthRetrying(error: unknown): boolean {
  return again.has(codeOf(error instanceof JobdError ? error.cause : error));
}

/** Whether the name of a prepared statement is the cause. */
export function isNameTrouble(error: unknown): boolean {
  return names.has(codeOf(error));
}

/** Whether the role lacks a privilege. */
export function mayNot(error: unknown): boolean {
  return codeOf(error) === '42501';
}

/** Whether the server may only be read. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === readOnly;
}

/** What such a server answers to a write. */
export function readOnlyError(): Error {
  return Object.assign(new Error('read-only'), { code: readOnly });
}

/** The error as jobd tells it: `unavailable` if the database cannot be used now. */
export function tellable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof JobdError) return error;
  const code = codeOf(error);
  const isUnusable =
    code === ''
      ? broken.test(error.message)
      : unusable.test(code) || again.has(code) || /^E[A-Z]+$/.test(code);
  if (!isUnusable) return error;
  return unusableNow(wordsOf(error), error);
}

/** `unavailable`, with the reason. */
export function unusableNow(why: string, cause?: unknown): JobdError {
  return new JobdError('unavailable', `the store cannot be used now: ${why}`, { cause });
}

/** What the error says, with its code. */
export function wordsOf(error: Error): string {
  const code = codeOf(error);
  if (code === readOnly) {
    return `the database can only be read: it is a copy, or default_transaction_read_only is on (${readOnly})`;
  }
  const words = error.message === '' ? code : (plainWords[error.message] ?? error.message);
  return code === '' || words.includes(code) ? words : `${words} (${code})`;
}

/** PostgreSQL's code of five characters, or that of the system; empty if it has none. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = systemCode(error);
  return code === 'unknown' ? '' : code;
}
