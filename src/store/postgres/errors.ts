/** What an error of PostgreSQL, or of the way to it, means. */

import { JobdError, storeUnusable, systemCode } from '../../domain/errors.ts';
import { schemaName } from './own-schema.ts';

/**
 * Codes that are not the statement's fault: connection (08), resources (53), the server stops or starts (57P), a database
 * that is only read (25006), rights that were taken away (42501, and 42P01 without that on the schema), locks that were not to be
 * had (55P03), and a server that cannot read or write its files (58, XX).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const unusable =
  /^(08...|53...|57P..|57014|25006|25P0[34]|55P03|58...|XX...|28...|3D000|42501|42P01)$/;

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
  'canceling statement due to statement timeout': 'the database did not answer in time',
  'timeout expired': 'the database did not accept a connection in time',
  'Connection terminated due to connection timeout':
    'the database did not accept a connection in time',
  'Connection terminated unexpectedly': 'the connection to the database broke',
  // One whose other side is gone is noticed at the next question.
  'Client has encountered a connection error and is not queryable':
    'the connection to the database broke',
  'Client was closed and is not queryable': 'the connection to the database broke',
};

/** In such words for codes of the server. They name no table: all who ask say the same. */
const plainWordsByCode: Readonly<Record<string, string>> = {
  [readOnly]: 'the database can only be read: it is a copy, or default_transaction_read_only is on',
  '28P01':
    'the server refuses the password of this role: set the right one where jobd has it from (JOBD_DATABASE_URL, PGPASSWORD or ~/.pgpass), and start it again',
  '42501':
    'this role may no longer read and change all tables of jobd: jobd doctor says what to do',
  '42P01': `this role may no longer use the schema ${schemaName}, or somebody removed tables of it: jobd doctor says what to do`,
  '53300':
    'the server has no connection left for this role: raise max_connections (or the limit of the role), or lower pool in the URL of each jobd (?pool=4)',
  '55P03': 'another session holds a lock in the database: jobd doctor names it',
  XX001: 'the database is damaged, the log of its server says where: restore it there',
  XX002: 'an index of the database is damaged, the log of its server names it: REINDEX it there',
};

/** A server wants a password, and nobody gave one. */
export class NoPassword extends Error {
  constructor() {
    super(
      'the server wants a password: put it into PGPASSWORD or ~/.pgpass, or into JOBD_DATABASE_URL if its URL is from there',
    );
  }
}

/** A server that nobody has verified asks for the password itself, and not for a proof that jobd knows it. */
export class PlainPassword extends Error {
  constructor() {
    super(
      'the server wants the password in plain text, and nothing proves that it is the right one: set sslmode=verify-full (or sslmode=require with sslrootcert=FILE), or let it use scram-sha-256',
    );
  }
}

/** Codes of certificates that nobody known has signed. */
const unknownSigner =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?))$/;

/** What does not pass: a login, a name of a database, a certificate. */
const lasting = /^(28...|3D000|ERR_TLS_.*|CERT_.*)$/;

/** Whether the same work may succeed if it starts again. */
export function isWorthRetrying(error: unknown): boolean {
  return again.has(codeBehind(error));
}

/** Whether a lock was not to be had in time: somebody else holds it for long. */
export function isLockWait(error: unknown): boolean {
  return codeBehind(error) === '55P03';
}

/** A schema, a table or its type that is there already, or not known yet, and a lock that was not to be had. */
const starting = new Set(['3F000', '42P06', '42P07', '42710', '55P03']);

/** Whether another process makes or updates the same tables, despite `if not exists`: after that, the work may succeed. */
export function isOtherStart(error: unknown): boolean {
  const code = codeBehind(error);
  return starting.has(code) || (code === '23505' && isOfCatalog(error)) || isWorthRetrying(error);
}

/** Whether it is about a table of PostgreSQL's own. */
function isOfCatalog(error: unknown): boolean {
  return error instanceof Error && 'schema' in error && error.schema === 'pg_catalog';
}

/** Whether a row was written after the row it refers to was removed, or other work was faster. */
export function isWithoutParent(error: unknown): boolean {
  return codeOf(error) === '23503' || isWorthRetrying(error);
}

/** Whether the name of a prepared statement is the cause, or that a newer jobd has changed the tables since it was prepared. */
export function isNameTrouble(error: unknown): boolean {
  return names.has(codeOf(error)) || (error instanceof Error && isOldPlan.test(error.message));
}

const isOldPlan = /^cached plan must not change result type$/;

/** Whether the role lacks a privilege. */
export function mayNot(error: unknown): boolean {
  return codeBehind(error) === '42501';
}

/** Whether the server may only be read. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === readOnly;
}

/** Whether only writing failed: the server may only be read, or its disk is full. Everything else may still be answered. */
export function mayOnlyRead(error: unknown): boolean {
  return [readOnly, '53100'].includes(codeBehind(error));
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
  return storeUnusable(wordsOf(error), error);
}

/** The database of this name cannot be opened. It is `isOfStore` if it may be soon. */
export function cannotOpen(name: string, error: unknown): unknown {
  if (!(error instanceof JobdError) || !(error.cause instanceof Error)) return error;
  const code = codeOf(error.cause);
  const isLasting =
    lasting.test(code) ||
    unknownSigner.test(code) ||
    error.cause instanceof NoPassword ||
    error.cause instanceof PlainPassword;
  const sentence = `the database ${name} cannot be used${isLasting ? '' : ' now'}`;
  const why = error.why ?? error.message;
  const options = { cause: error.cause, isOfStore: !isLasting };
  return new JobdError('unavailable', `${sentence}: ${why}`, options);
}

/** What the error says, with its code. */
export function wordsOf(error: Error): string {
  const code = codeOf(error);
  // Both addresses of a name may fail. The error of both has no words.
  if (error instanceof AggregateError) {
    return [...new Set(error.errors.map((one) => wordsOf(one as Error)))].join(', ');
  }
  if (unknownSigner.test(code)) {
    return `nobody known has signed the certificate of the server: name the file of its authority in sslrootcert (${code})`;
  }
  const words =
    plainWordsByCode[code] ??
    plainWords[error.message] ??
    (error.message === '' ? code : error.message);
  return code === '' || words.includes(code) ? words : `${words} (${code})`;
}

/** The code of the server's error behind one of jobd's own. */
function codeBehind(error: unknown): string {
  return codeOf(error instanceof JobdError ? error.cause : error);
}

/** PostgreSQL's code of five characters, or that of the system; empty if it has none. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = systemCode(error);
  return code === 'unknown' ? '' : code;
}
