/** The URL of a database, as libpq reads it: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { invalidInput } from '../../domain/errors.ts';

/** A server, and how to speak to it. */
export interface Server {
  host: string;
  port: number;
}

/** What a URL says. */
export interface DatabaseUrl {
  /** In the order in which they are tried. */
  servers: readonly [Server, ...Server[]];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: false | ConnectionOptions;
  /** Connections of this process. */
  pool: number;
}

const defaultPort = 5432;
const defaultPool = 10;
const mostPool = 100;

const parts =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

const known = new Set(['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'pool']);

/** Reads a URL. Throws `invalid_input`, without the URL, which may hold a password. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const { user, password, hosts, database, query } = parts.exec(text)?.groups ?? {};
  if (hosts === undefined) {
    throw invalid('it must look like postgres://USER:PASSWORD@HOST:5432/DATABASE');
  }
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw invalid(`it has the parameter ${unknown}; jobd knows ${[...known].join(', ')}`);
  }
  const [first, ...others] = (given.get('host') ?? hosts).split(',').map(serverOf);
  return {
    servers: [first ?? serverOf(''), ...others],
    user: decoded(user),
    password: decoded(password),
    database: decoded(database),
    ssl: tlsOf(given),
    pool: poolOf(given.get('pool')),
  };
}

function serverOf(text: string): Server {
  if (text.startsWith('/')) return { host: text, port: defaultPort };
  const { name, address, port } =
    /^(?:\[(?<address>[\da-f:.]+)\]|(?<name>[^:[\]]*))(?::(?<port>\d+))?$/i.exec(text)?.groups ??
    {};
  const host = decoded(address ?? name);
  if (host === undefined && text !== '') throw invalid(`${text} is no host`);
  return { host: host ?? 'localhost', port: Number(port ?? defaultPort) };
}

/** Without `sslmode` there is no TLS. `require` encrypts and verifies nothing, as with libpq. */
function tlsOf(given: URLSearchParams): false | ConnectionOptions {
  const mode = given.get('sslmode') ?? 'disable';
  if (mode === 'disable') return false;
  const files = {
    ca: fileOf(given, 'sslrootcert'),
    cert: fileOf(given, 'sslcert'),
    key: fileOf(given, 'sslkey'),
  };
  if (mode === 'verify-full') return files;
  if (mode === 'verify-ca') return { ...files, checkServerIdentity: () => undefined };
  if (mode === 'require') return { ...files, rejectUnauthorized: false };
  throw invalid('its sslmode must be disable, require, verify-ca or verify-full');
}

function fileOf(given: URLSearchParams, name: string): Buffer | undefined {
  const path = given.get(name);
  if (path === null) return undefined;
  try {
    return readFileSync(path);
  } catch {
    throw invalid(`its ${name} cannot be read: ${path}`);
  }
}

function poolOf(text: string | null): number {
  const pool = text === null ? defaultPool : Number(text);
  if (Number.isInteger(pool) && pool >= 2 && pool <= mostPool) return pool;
  throw invalid(`its pool must be a number from 2 to ${mostPool}`);
}

/** A percent-encoded part; undefined if it is empty. */
function decoded(text: string | undefined): string | undefined {
  if (!text) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a % in it must be followed by two hexadecimal digits');
  }
}

function invalid(why: string): Error {
  return invalidInput(`the URL of the database is not valid: ${why}`);
}
