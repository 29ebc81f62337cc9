/** The URL of a database, as libpq reads it: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS */

import { isIPv6 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { invalidUrl, tlsOf } from './tls.ts';

/** A server, and how to speak to it. */
export interface Server {
  host: string;
  port: number;
}

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
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/]*))?@)?(?<rest>(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?)$/;

const known = new Set(['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'pool']);

/**
 * Reads a URL. Throws `invalid_input` without the URL, its hosts and its database: where a character of a password is not
 * encoded, they may be pieces of it.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const { user, password, rest, hosts = '', database, query } = parts.exec(text)?.groups ?? {};
  if (rest === undefined) {
    throw invalidUrl('it must look like postgres://USER:PASSWORD@HOST:5432/DATABASE');
  }
  if (rest.includes('@')) {
    throw invalidUrl(
      'only one @ may be in it, before the host. Percent-encode the password: @ is %40, / is %2F, : is %3A, % is %25',
    );
  }
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) {
    const what = /^\w+$/.test(unknown) ? `the parameter ${unknown}` : 'an unknown parameter';
    throw invalidUrl(`it has ${what}; jobd knows ${[...known].join(', ')}`);
  }
  return {
    servers: serversOf(given.get('host') ?? hosts, given.get('port')),
    user: decoded(user),
    password: decoded(password),
    database: decoded(database),
    ssl: tlsOf(given),
    pool: poolOf(given.get('pool')),
  };
}

/** What a URL says about the place, for messages: without the password. */
export function nameOfDatabase({ servers, user, database }: DatabaseUrl): string {
  const login = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const path = database === undefined ? '' : `/${encodeURIComponent(database)}`;
  return `postgres://${login}${servers.map(nameOfServer).join()}${path}`;
}

/** Host and port. */
export function nameOfServer({ host, port }: Server): string {
  const name = isIPv6(host) ? `[${host}]` : encodeURIComponent(host);
  return `${name}:${port}`;
}

/** Servers by their hosts. The parameter `port` holds one for all of them, or one for each. */
function serversOf(hosts: string, given: string | null): DatabaseUrl['servers'] {
  const [first = serverOf(''), ...others] = hosts.split(',').map(serverOf);
  if (given === null) return [first, ...others];
  const [port = defaultPort, ...ports] = given.split(',').map(portOf);
  if (ports.length > 0 && ports.length !== others.length) {
    throw invalidUrl('its parameter port must be one port, or as many as there are hosts');
  }
  const rest = others.map(({ host }, index) => ({ host, port: ports[index] ?? port }));
  return [{ host: first.host, port }, ...rest];
}

function serverOf(text: string): Server {
  if (text.startsWith('/')) return { host: text, port: defaultPort };
  const { name, address, port } =
    /^(?:\[(?<address>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>[^:]*))?$/.exec(text)?.groups ?? {};
  const host = decoded(address ?? name) ?? 'localhost';
  const isHost = address === undefined ? /^(\/|[^\s/@:]+$)/.test(host) : isIPv6(host);
  if ((name === undefined && address === undefined) || !isHost) {
    throw invalidUrl(
      'its host must be a name, an address ([…] around that of IPv6), or the folder of a Unix socket',
    );
  }
  return { host, port: portOf(port ?? '') };
}

function portOf(text: string): number {
  const port = text === '' ? defaultPort : Number(/^\d{1,5}$/.test(text) ? text : NaN);
  if (port >= 1 && port <= 65_535) return port;
  throw invalidUrl('its port must be a number from 1 to 65535');
}

function poolOf(text: string | null): number {
  const pool = text === null ? defaultPool : Number(text);
  if (Number.isInteger(pool) && pool >= 2 && pool <= mostPool) return pool;
  throw invalidUrl(`its pool must be a number from 2 to ${mostPool}`);
}

/** A percent-encoded part; undefined if it is empty. */
function decoded(text: string | undefined): string | undefined {
  if (!text) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl('a % in it must be followed by two hexadecimal digits');
  }
}
