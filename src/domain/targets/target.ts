/**
 * Which targets may be called. Two rules guard the way out: `judgeUrl` on the text of a URL, when a
 * job is written and again before each call, and `judgeDial` on each address, right before connecting.
 * The first gives people a reason early; only the second protects, for a name can resolve to anything.
 */
import {
  blockHas,
  embeddedIPv4,
  judgeAddress,
  parseAddress,
  parseBlock,
  type Block,
} from './address.ts';
import { invalidInput } from '../errors.ts';
import { judgeName } from './host-name.ts';

const defaultPorts = new Set([80, 443]);
const maxUrlCharacters = 2048;

/** What one `--allow-target` widens: these addresses, on these ports. */
export interface AllowedTarget {
  block: Block;
  /** The one port, every port, or the default ones (80 and 443). */
  ports: number | 'any' | 'default';
}

/**
 * Reads `CIDR[:PORT|:*]`. A bare address is a block of one; without a port the entry covers 80 and
 * 443. An IPv6 block with a port is best written in brackets, around the address or the whole block:
 * `[::1]:8080`, `[::1]/128:8080`, `[fd00::/8]:*`. Throws `invalid_input`.
 */
export function parseAllowTarget(text: string): AllowedTarget {
  const { blockText, portText } = splitAllowTarget(text);
  const block = parseBlock(blockText);
  if (block === null) {
    throw invalidInput(
      `allow-target must be a block like 10.0.0.0/8:8080 or [fd00::/8]:* with no bits set behind the prefix, got ${JSON.stringify(text)}`,
    );
  }
  return { block, ports: parsePorts(portText, text) };
}

/** Reads a list of allow-target entries. Throws `invalid_input` at the first bad one. */
export function parseAllowTargets(list: readonly string[]): readonly AllowedTarget[] {
  return Object.freeze(list.map(parseAllowTarget));
}

/** Any address on any port. */
export const everywhere = parseAllowTargets(['0.0.0.0/0:*', '[::/0]:*']);

function splitAllowTarget(text: string): { blockText: string; portText: string | undefined } {
  const bracketed = /^\[([^[\]]*)\](\/\d+)?(?::(.*))?$/s.exec(text);
  if (bracketed !== null) {
    const [, inside = '', prefix = '', portText] = bracketed;
    // Brackets belong to IPv6; `[10.0.0.0/8]` is a mistake that should not pass unnoticed.
    return { blockText: inside.includes(':') ? inside + prefix : text, portText };
  }
  const slash = text.indexOf('/');
  // A bare IPv6 address has several colons: none of them begins a port.
  if (slash === -1 && text.split(':').length > 2) return { blockText: text, portText: undefined };
  const colon = text.indexOf(':', Math.max(slash, 0));
  if (colon === -1) return { blockText: text, portText: undefined };
  return { blockText: text.slice(0, colon), portText: text.slice(colon + 1) };
}

function parsePorts(portText: string | undefined, text: string): AllowedTarget['ports'] {
  if (portText === undefined) return 'default';
  if (portText === '*') return 'any';
  const port = /^[1-9]\d{0,4}$/.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65535) {
    throw invalidInput(
      `allow-target must have a port from 1 to 65535, or *, got ${JSON.stringify(text)}`,
    );
  }
  return port;
}

/**
 * Judges the text of a job's URL and returns it parsed. Throws `invalid_input` with the reason. A
 * name that passes has been found plausible, no more: its addresses are judged at each connect.
 */
export function judgeUrl(raw: string, allow: readonly AllowedTarget[]): URL {
  const url = plainUrl(raw);
  const authority = siteText(raw).slice(raw.indexOf('//') + 2);
  if (authority.includes('@')) {
    throw invalidInput('url must not contain a user name or password, use a header instead');
  }
  const writtenHost = authority.replace(/:\d*$/, '');
  const port = portOf(url);
  const address = literalOf(url);
  if (address === null) {
    judgeName(url.hostname, writtenHost, allow.length > 0);
    if (!defaultPorts.has(port) && !allow.some(({ ports }) => portCovers(ports, port))) {
      throw invalidInput(`url must use port 80 or 443, got ${port}`);
    }
    return url;
  }
  if (!url.hostname.startsWith('[') && writtenHost !== address) {
    throw invalidInput(
      `url must write its address in the usual form, ${address}, got ${JSON.stringify(writtenHost.slice(0, 60))}`,
    );
  }
  const verdict = judgeDial(address, port, allow);
  if (!verdict.allowed) throw invalidInput(`url must lead to a public address: ${verdict.reason}`);
  return url;
}

/**
 * A URL's scheme and authority as they are written. `judgeUrl` decides by these and by the spelling of the whole: a URL
 * that begins with a text it passed needs only `plainUrl`.
 */
export function siteText(raw: string): string {
  return /^[^/?#]*\/\/[^/?#]*/.exec(raw)?.[0] ?? '';
}

/** The port a URL leads to, the default of its scheme included. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The IP address a URL names directly, without brackets; null if its host is a name. */
export function literalOf(url: URL): string | null {
  if (url.hostname.startsWith('[')) return url.hostname.slice(1, -1);
  return parseAddress(url.hostname) === null ? null : url.hostname;
}

/** Parses a URL whose spelling leaves no doubt of what it means. Throws `invalid_input` with the reason. */
export function plainUrl(raw: string): URL {
  checkSpelling(raw);
  const url = URL.parse(raw);
  if (url === null || url.hostname === '') {
    throw invalidInput('url must be a valid absolute URL like https://example.com/path');
  }
  return url;
}

/** The URL parser drops, trims or rewrites these; what it would rewrite is refused instead. */
function checkSpelling(raw: string): void {
  const characters = raw.length > maxUrlCharacters ? Array.from(raw).length : raw.length;
  if (characters > maxUrlCharacters) {
    throw invalidInput(`url must be at most ${maxUrlCharacters} characters, got ${characters}`);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u0020\u007f-\u00a0\\]/.test(raw) || !raw.isWellFormed()) {
    throw invalidInput('url must not contain spaces, control characters or backslashes');
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1];
  if (scheme === undefined) throw invalidInput('url must begin with http:// or https://');
  if (!/^https?$/i.test(scheme)) {
    throw invalidInput(`url must begin with http:// or https://, got ${scheme.slice(0, 20)}:`);
  }
  if (!/^[a-z]+:\/\/[^/]/i.test(raw)) {
    throw invalidInput('url must have exactly two slashes and a host after its scheme');
  }
}

/** Whether an address and port may be connected to. */
export type DialVerdict = { allowed: true } | { allowed: false; reason: string };

/**
 * The rule at connect time: a public address on port 80 or 443, or any address and port that one
 * allow entry covers both of. An entry for a translation prefix (NAT64) does not hide what is behind it: the
 * IPv4 address inside must be public, or covered itself. Text that is no IP address is refused.
 */
export function judgeDial(
  address: string,
  port: number,
  allow: readonly AllowedTarget[],
): DialVerdict {
  if (allow.length > 0 && allowCovers(address, port, allow))
    return judgeEmbedded(address, port, allow);
  const verdict = judgeAddress(address);
  if (!verdict.public) return { allowed: false, reason: verdict.reason };
  if (!defaultPorts.has(port)) {
    return { allowed: false, reason: `port ${port} is neither 80 nor 443` };
  }
  return { allowed: true };
}

function judgeEmbedded(
  address: string,
  port: number,
  allow: readonly AllowedTarget[],
): DialVerdict {
  const parsed = parseAddress(address);
  const inner = parsed === null ? null : embeddedIPv4(parsed);
  if (inner === null || allowCovers(inner, port, allow)) return { allowed: true };
  const verdict = judgeAddress(inner);
  if (verdict.public) return { allowed: true };
  return { allowed: false, reason: `${address} leads to ${inner}: ${verdict.reason}` };
}

function allowCovers(address: string, port: number, allow: readonly AllowedTarget[]): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return allow.some(({ block, ports }) => portCovers(ports, port) && blockHas(block, parsed));
}

function portCovers(ports: AllowedTarget['ports'], port: number): boolean {
  if (ports === 'any') return port !== 0;
  return ports === 'default' ? defaultPorts.has(port) : ports === port;
}

/** Which of a name's addresses may be dialled, or why none may. */
export type AnswerVerdict =
  | { allowed: true; addresses: readonly string[] }
  | { allowed: false; reason: string };

/**
 * Judges all addresses that a name resolved to: one refused answer refuses them all, whatever the
 * order, so that a name cannot mix an inner address among public ones. `loopbackName` is for
 * `localhost`, whose two answers are this machine's own and not a stranger's: there those that an
 * entry covers are enough.
 */
export function judgeAnswers(
  addresses: readonly string[],
  port: number,
  allow: readonly AllowedTarget[],
  loopbackName: boolean,
): AnswerVerdict {
  const allowed: string[] = [];
  let reason: string | null = null;
  for (const address of addresses) {
    const verdict = judgeDial(address, port, allow);
    if (verdict.allowed) allowed.push(address);
    else reason ??= verdict.reason;
  }
  if (reason !== null && !(loopbackName && allowed.length > 0)) return { allowed: false, reason };
  if (allowed.length === 0) return { allowed: false, reason: 'there is no address' };
  return { allowed: true, addresses: allowed };
}
