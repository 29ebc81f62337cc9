/**
 * Rounds of rebinding: what a name resolves to before and after its first request, and the expected
 * result.
 */
import type { Zone } from '../dns-server.ts';

/** One job, one name of its own. */
export interface Round {
  kind: string;
  /** Host, or host and port, of its URL. */
  host: string;
  scheme: 'http' | 'https';
  /** The addresses of its name until its first request has arrived, and after that. */
  zones: [Zone, Zone];
  /** Whether the target causes another attempt. */
  isBusy: boolean;
  /** The number of requests that may arrive. */
  arrivals: number;
  attempts: number;
  error: RegExp | null;
}

/** Allowed addresses. */
const public4 = (index: number): string => `93.184.${(index >> 8) & 255}.${index & 255}`;
const public6 = (index: number): string => `2606:2800:220:1::${index.toString(16)}`;

/** Forbidden addresses. */
const refused4 = `127.0.0.1 10.1.2.3 169.254.169.254 192.168.1.1 172.16.0.1 100.64.0.1 0.0.0.0
  198.18.0.1 192.0.2.1 192.0.0.8 240.0.0.1 224.0.0.1 255.255.255.255 127.255.0.53`.split(/\s+/);
const refused6 =
  `::1 fd00::1 fe80::1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 ::ffff:8.8.8.8 64:ff9b::7f00:1
  64:ff9b::5db8:d822 2002:7f00:1:: 2001::80ff:fffe 2001:db8::1 :: fec0::1 ff02::1 ::127.0.0.1
  64:ff9b:1::1 4000::1 3ffe::1`.split(/\s+/);

/** Whether an address is an allowed one. */
export function mayBeCalled(address: string): boolean {
  return address.startsWith('93.184.') || address.startsWith('2606:2800:220:1:');
}

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

type Made = Partial<Omit<Round, 'zones'>> & { zones: Zone | [Zone, Zone] };

/** Kinds of rounds; `n` is the number of the round, `name` its name. */
const kinds: Record<string, (n: number, name: string) => Made> = {
  'a public A': (n) => ({ zones: { a: [public4(n)] }, arrivals: 1 }),
  'a public AAAA': (n) => ({ zones: { aaaa: [public6(n)] }, arrivals: 1 }),
  'both public, aliases before': (n, name) => ({
    zones: { a: [public4(n)], aaaa: [public6(n)], cname: [name, `cdn.${name}`, `edge.${name}`] },
    arrivals: 1,
  }),
  'thirty public ones over TCP': (n) => ({
    zones: { a: Array.from({ length: 30 }, (_, index) => public4(n * 30 + index)) },
    arrivals: 1,
  }),
  'a refused A': (n) => ({ zones: { a: [pick(refused4, n)] } }),
  'a refused AAAA': (n) => ({ zones: { aaaa: [pick(refused6, n)] } }),
  'public and refused A': (n) => ({ zones: { a: [public4(n), pick(refused4, n)] } }),
  'refused and public A': (n) => ({ zones: { a: [pick(refused4, n), public4(n)] } }),
  'a public A, a refused AAAA': (n) => ({
    zones: { a: [public4(n)], aaaa: [pick(refused6, n)] },
  }),
  'a refused A, a public AAAA': (n) => ({
    zones: { a: [pick(refused4, n)], aaaa: [public6(n)] },
  }),
  'thirty public ones and a refused one': (n) => ({
    zones: {
      a: [...Array.from({ length: 30 }, (_, index) => public4(index)), pick(refused4, n)],
    },
  }),
  'a chain of aliases to a refused one': (n, name) => ({
    zones: { a: [pick(refused4, n)], cname: [name, `a.${name}`, `b.${name}`, 'localhost'] },
  }),
  'public, then refused': (n) => rebinding({ a: [public4(n)] }, { a: [pick(refused4, n)] }),
  'public, then refused as AAAA alone': (n) =>
    rebinding({ a: [public4(n)] }, { aaaa: [pick(refused6, n)] }),
  'public, then mixed': (n) =>
    rebinding({ a: [public4(n)] }, { a: [public4(n), pick(refused4, n)] }),
  'public, then aliases to a refused one': (n, name) =>
    rebinding({ aaaa: [public6(n)] }, { aaaa: [pick(refused6, n)], cname: [name, `x.${name}`] }),
  'public, then another public one': (n) => ({
    zones: [
      { a: [public4(n)], ttl: 0 },
      { a: [public4(n + 1)], ttl: 0 },
    ],
    isBusy: true,
    arrivals: 2,
    attempts: 2,
    error: /^http: 503$/,
  }),
  'a name of the hosts file': () => ({ host: 'listed.example.com', zones: { a: [public4(1)] } }),
  'https to a refused one': (n) => ({ scheme: 'https', zones: { a: [pick(refused4, n)] } }),
  'a refused address itself': (n) => ({
    host: n % 2 === 0 ? pick(refused4, n / 2) : `[${pick(refused6, (n - 1) / 2)}]`,
    zones: {},
  }),
  'another port of a public address': (n) => ({ host: `${public4(n)}:8080`, zones: {} }),
};

/** The target causes another attempt, and the name changes in between. */
function rebinding(before: Zone, after: Zone): Made {
  const zones: [Zone, Zone] = [
    { ...before, ttl: 0 },
    { ...after, ttl: 0 },
  ];
  return { zones, isBusy: true, arrivals: 1, attempts: 2 };
}

/** Makes this many rounds, of each kind in turn. */
export function makeRounds(count: number): Round[] {
  const entries = Object.entries(kinds);
  return Array.from({ length: count }, (_, n) => {
    const [kind, make] = entries[n % entries.length] ?? ['', () => ({ zones: {} })];
    const name = `r${n}.rebinding.example.com`;
    const made: Made = make(n, name);
    const arrivals = made.arrivals ?? 0;
    return {
      kind,
      host: name,
      scheme: 'http',
      isBusy: false,
      arrivals,
      attempts: 1,
      error: arrivals === 1 && made.isBusy !== true ? null : /^blocked_address: /,
      ...made,
      zones: Array.isArray(made.zones) ? made.zones : [made.zones, made.zones],
    };
  });
}
