/**
 * From a host name to all its addresses, not judged yet. Both IPv4 and IPv6 are always queried, so that every address is
 * judged. getaddrinfo is never used: it runs on Node's pool of four threads, where four slow names would block all runs.
 */
import { Resolver } from 'node:dns/promises';
import { systemCode } from '../domain/errors.ts';
import { isLoopbackName } from '../domain/targets/host-name.ts';
import { openHostsFile } from './hosts.ts';
import { checkOpenFiles } from './failure.ts';
import { Lru } from './lru.ts';
import { createPace } from './pace.ts';
import { systemClock, type Timers } from '../domain/clock.ts';

/** The addresses of a name, IPv4 first, or why there are none. */
export type Answers =
  | { kind: 'addresses'; addresses: readonly string[] }
  | {
      kind: 'failure';
      detail: string;
      /** Whether a retry may help: after a server failure or silence, not for a missing name. */
      temporary: boolean;
    };

/** Resolves a host name (lower case, no literal). Throws or rejects with LocalTrouble only. */
export type Resolve = (host: string) => Answers | Promise<Answers>;

/** Answers are kept for their TTL, but never longer than this. */
const maxKeptMs = 5000;
/** Nor shorter: a thousand simultaneous calls share a look-up, and a retry a second later makes its own. */
const minKeptMs = 500;
const maxKeptNames = 10_000;
/** More addresses than any host needs. A longer list is refused, because all would have to be judged. */
const maxAddresses = 64;

/** Most look-ups in flight that are younger than `youngMs`; each is two datagrams. */
const maxYoungQueries = 64;
const youngMs = 50;

/** Options of the resolver; the defaults are those of the machine. */
export interface ResolverOptions {
  /** DNS servers as `ADDRESS` or `ADDRESS:PORT`; default: the machine's. */
  servers?: readonly string[];
  /** How long a server may take before it is asked again. */
  patienceMs?: number;
  hostsPath?: string;
  /** How long answers are kept. Default: the time of this thread. */
  timers?: Pick<Timers, 'monotonicMs'>;
}

/** Creates a resolver: loopback names, the hosts file, then DNS, with answers kept up to 5 s. */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { timers = systemClock } = options;
  const hostsFile = openHostsFile(options.hostsPath ?? '/etc/hosts');
  const query = createQuery(options);
  const pace = createPace(maxYoungQueries, youngMs);
  /** The answers, or the look-up that all callers share until it is done. */
  const kept = new Lru<Answers | Promise<Answers>>(maxKeptNames, timers);

  function keep(host: string, { answers, ttlMs }: Queried): Answers {
    kept.set(host, answers, { ttl: Math.min(Math.max(ttlMs, minKeptMs), maxKeptMs) });
    return answers;
  }

  function start(host: string): Answers | Promise<Answers> {
    const listed = hostsFile(host);
    if (listed.length > 0) return keep(host, { answers: found(host, listed), ttlMs: maxKeptMs });
    const answers = pace(() => query(host)).then(
      (result) => keep(host, result),
      (error: unknown) => {
        kept.delete(host);
        throw error;
      },
    );
    kept.set(host, answers);
    return answers;
  }

  return (host) => (isLoopbackName(host) ? loopback : (kept.get(host) ?? start(host)));
}

/** Never queried (RFC 6761 section 6.3). */
const loopback: Answers = { kind: 'addresses', addresses: ['127.0.0.1', '::1'] };

function isIPv6(address: string): boolean {
  return address.includes(':');
}

function found(host: string, addresses: readonly string[]): Answers {
  const unique = [...new Set(addresses)];
  if (unique.length > maxAddresses) {
    const detail = `${host} has ${unique.length} addresses, more than ${maxAddresses}`;
    return { kind: 'failure', detail, temporary: false };
  }
  return {
    kind: 'addresses',
    addresses: [...unique.filter((a) => !isIPv6(a)), ...unique.filter(isIPv6)],
  };
}

interface Queried {
  answers: Answers;
  ttlMs: number;
}

interface Family {
  records: { address: string; ttl: number }[];
  /** c-ares' code, null if there were records. */
  failure: string | null;
}

function createQuery(options: ResolverOptions): (host: string) => Promise<Queried> {
  let resolver: Resolver | null = null;

  return async (host) => {
    checkOpenFiles();
    resolver ??= createDnsClient(options);
    const client = resolver;
    const [v4, v6] = await Promise.all([
      ask(client.resolve4(host, { ttl: true })),
      ask(client.resolve6(host, { ttl: true })),
    ]);
    const records = [...v4.records, ...v6.records];
    if (records.length > 0) {
      const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1000;
      const addresses = records.map(({ address }) => address);
      return { answers: found(host, addresses), ttlMs };
    }
    const codes = [v4.failure ?? '', v6.failure ?? ''];
    const trouble = codes.find((code) => !permanentCodes.has(code));
    if (trouble === undefined) {
      return {
        answers: { kind: 'failure', detail: `${host} has no address`, temporary: false },
        ttlMs: minKeptMs,
      };
    }
    // c-ares reads the machine's DNS servers only when it starts, and they may have changed since.
    if (resolver === client) resolver = null;
    checkOpenFiles();
    const detail = `${temporaryWords.get(trouble) ?? 'the look-up failed'} for ${host} (${trouble})`;
    return { answers: { kind: 'failure', detail, temporary: true }, ttlMs: minKeptMs };
  };
}

/** The name does not exist, has no address, or cannot be a name: a retry will not help. */
const permanentCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY', 'ENONAME']);

const temporaryWords = new Map([
  ['ETIMEOUT', 'no DNS server answered'],
  ['ECONNREFUSED', 'no DNS server could be reached'],
  ['ESERVFAIL', 'the DNS servers failed'],
  ['EREFUSED', 'the DNS servers refused the look-up'],
]);

function createDnsClient({ servers, patienceMs: timeout = 1500 }: ResolverOptions): Resolver {
  const client = new Resolver({ timeout, tries: 3 });
  if (servers !== undefined) client.setServers(servers);
  return client;
}

async function ask(records: Promise<{ address: string; ttl: number }[]>): Promise<Family> {
  try {
    return { records: await records, failure: null };
  } catch (error) {
    return { records: [], failure: systemCode(error) };
  }
}
