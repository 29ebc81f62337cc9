/**
 * Which targets may be called (docs/decisions/0004-rules-are-data.md#the-rules-about-targets-stand-in-the-domain). `judgeUrl` judges the text of a URL when a job is
 * written and again before each call. `judgeDial` judges each address right before connecting. The first gives people an
 * early reason. Only the second protects, because a name can resolve to any address.
 */
import {
  blockHas,
  embeddedIPv4,
  judgeAddress,
  parseAddress,
  parseBlock,
  type AddressRefusal,
  type Block,
} from './address.ts';
import { invalidInput } from '../errors.ts';
import { isLoopbackName, judgeName } from './host-name.ts';
import { refusedOnPurpose } from './cloud-metadata.ts';

const defaultPorts = new Set([80, 443]);
const maxUrlCharacters = 2048;

/** The addresses and ports that one `--allow-target` permits. */
export interface AllowedTarget {
  block: Block;
  /** The one port, every port, or the default ones (80 and 443). */
  ports: number | 'any' | 'default';
}

/**
 * Reads `CIDR[:PORT|:*]`. A bare address is a block of one; without a port the entry covers 80 and
 * 443. An IPv6 block with a port is best written in brackets, around the address or the whole block:
 * `[::1]:8080`, `[::1]/128:8080`, `[fd00::/8]:*`. Throws `invalid_input`, with the name of the setting.
 */
export function parseAllowTarget(text: string, name = 'allow-target'): AllowedTarget {
  const { blockText, portText } = splitAllowTarget(text);
  const block = parseBlock(blockText);
  if (block !== null) return { block, ports: parsePorts(portText, text, name) };
  throw invalidInput(
    `${name} must be an address such as 127.0.0.1:8080, or a block such as 10.0.0.0/8:8080 or [fd00::/8]:* with no bits set after the prefix, but no name or URL, got ${JSON.stringify(text)}`,
  );
}

/** Reads a list of allow-target entries. Throws `invalid_input` at the first bad one. */
export function parseAllowTargets(
  list: readonly string[],
  name?: string,
): readonly AllowedTarget[] {
  return Object.freeze(list.map((text) => parseAllowTarget(text, name)));
}

/** The text of an allowed target: the same for all that allow the same. */
export function allowTargetText({ block, ports }: AllowedTarget): string {
  const address = block.family === 6 ? `[${block.text}]` : block.text;
  if (ports === 'default') return address;
  return `${address}:${ports === 'any' ? '*' : ports}`;
}

/** Any address on any port. */
export const everywhere = parseAllowTargets(['0.0.0.0/0:*', '[::/0]:*']);

function splitAllowTarget(text: string): { blockText: string; portText: string | undefined } {
  const bracketed = /^\[([^[\]]*)\](\/\d+)?(?::(.*))?$/s.exec(text);
  if (bracketed !== null) {
    const [, inside = '', prefix = '', portText] = bracketed;
    // Brackets are for IPv6 only; `[10.0.0.0/8]` is refused as a mistake.
    return { blockText: inside.includes(':') ? inside + prefix : text, portText };
  }
  const slash = text.indexOf('/');
  // A bare IPv6 address has several colons, and none begins a port.
  if (slash === -1 && text.split(':').length > 2) return { blockText: text, portText: undefined };
  const colon = text.indexOf(':', Math.max(slash, 0));
  if (colon === -1) return { blockText: text, portText: undefined };
  return { blockText: text.slice(0, colon), portText: text.slice(colon + 1) };
}

function parsePorts(
  portText: string | undefined,
  text: string,
  name: string,
): AllowedTarget['ports'] {
  if (portText === undefined) return 'default';
  if (portText === '*') return 'any';
  const port = /^[1-9]\d{0,4}$/.test(portText) ? Number(portText) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw invalidInput(`${name} must have a port from 1 to 65535, or *, got ${JSON.stringify(text)}`);
}

/**
 * Judges the text of a job's URL and returns it parsed. Throws `invalid_input` with the reason. A
 * name that passes is only plausible: its addresses are judged at each connect.
 */
export function judgeUrl(raw: string, allow: readonly AllowedTarget[], field = 'url'): URL {
  const url = plainUrl(raw, field);
  const authority = siteText(raw).slice(raw.indexOf('//') + 2);
  if (authority.includes('@')) {
    throw invalidInput(`${field} must not contain a user name or password, use a header instead`);
  }
  const writtenHost = authority.replace(/:\d*$/, '');
  const port = portOf(url);
  const isLoopback = isLoopbackName(url.hostname);
  const address = isLoopback ? '127.0.0.1' : literalOf(url);
  if (address === null) {
    const advice = howToAllow('ADDRESS', port);
    judgeName(url.hostname, writtenHost, { field, advice: allow.length > 0 ? null : advice });
    if (!defaultPorts.has(port) && !allow.some(({ ports }) => portCovers(ports, port))) {
      throw invalidInput(`${field} must use port 80 or 443, got ${port}; ${advice}`);
    }
    return url;
  }
  if (isLoopback) judgeName(url.hostname, writtenHost, { field, advice: null });
  else if (!url.hostname.startsWith('[') && writtenHost !== address) {
    throw invalidInput(
      `${field} must write its address in the usual form, ${address}, got ${JSON.stringify(writtenHost.slice(0, 60))}`,
    );
  }
  const addresses = isLoopback ? ['127.0.0.1', '::1'] : [address];
  const verdict = judgeAnswers(addresses, port, allow, isLoopback);
  if (verdict.allowed) return url;
  const { reason, isMetadata } = verdict;
  const advice = isMetadata ? refusedOnPurpose : howToAllow(address, port);
  throw invalidInput(`${field} must lead to a public address: ${reason}; ${advice}`);
}

/** How an address is allowed that is refused, as a clause. */
function howToAllow(address: string, port: number): string {
  const host = address.includes(':') ? `[${address}]` : address;
  const target = defaultPorts.has(port) ? host : `${host}:${port}`;
  return `to allow it: jobd serve --allow-target ${target}`;
}

/** Whether a URL names the address of a metadata service. */
export function leadsToMetadata(raw: string): boolean {
  const url = URL.parse(raw);
  const address = url === null ? null : literalOf(url);
  const verdict = address === null ? null : judgeAddress(address);
  return verdict?.public === false && verdict.isMetadata;
}

/**
 * A URL's scheme and authority as written. `judgeUrl` depends on them and on the spelling of the whole URL only: a URL that
 * begins with a text that passed needs only `plainUrl`.
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

/** Parses a URL whose spelling is unambiguous. Throws `invalid_input` with the reason. */
export function plainUrl(raw: string, field = 'url'): URL {
  checkSpelling(raw, field);
  const url = URL.parse(raw);
  if (url === null || url.hostname === '') {
    throw invalidInput(`${field} must be a valid absolute URL like https://example.com/path`);
  }
  return url;
}

/** Refuses what the URL parser would drop, trim or rewrite. */
function checkSpelling(raw: string, field: string): void {
  const characters = raw.length > maxUrlCharacters ? Array.from(raw).length : raw.length;
  if (characters > maxUrlCharacters) {
    throw invalidInput(
      `${field} must be at most ${maxUrlCharacters} characters, got ${characters}`,
    );
  }
  // oxlint-disable-next-line no-control-regex -- this looks for control characters
  if (/[\u0000-\u0020\u007f-\u00a0\\]/.test(raw) || !raw.isWellFormed()) {
    throw invalidInput(`${field} must not contain spaces, control characters or backslashes`);
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1];
  // A host with its port looks like a scheme.
  if (scheme === undefined || /^[^:]*:\d/.test(raw)) {
    if (/^[\u00ab\u2018-\u201f]/.test(raw)) {
      throw invalidInput(`${field} must be without the quote ${raw.charAt(0)} before it`);
    }
    throw invalidInput(`${field} must begin with http:// or https://`);
  }
  if (!/^https?$/i.test(scheme)) {
    throw invalidInput(`${field} must begin with http:// or https://, got ${scheme.slice(0, 20)}:`);
  }
  if (!/^[a-z]+:\/\/[^/]/i.test(raw)) {
    throw invalidInput(`${field} must have exactly two slashes and a host after its scheme`);
  }
}

/** Whether an address and port may be connected to. */
export type DialVerdict = { allowed: true } | Refusal;

type Refusal = { allowed: false } & AddressRefusal;

/**
 * The rule at connect time: a public address on port 80 or 443, or an address and port that one allow entry covers. An entry
 * for a translation prefix (NAT64) is not enough: the IPv4 address inside must be public or covered itself. Text that is
 * not an IP address is refused.
 */
export function judgeDial(
  address: string,
  port: number,
  allow: readonly AllowedTarget[],
): DialVerdict {
  if (allow.length > 0 && allowCovers(address, port, allow))
    return judgeEmbedded(address, port, allow);
  const verdict = judgeAddress(address);
  if (!verdict.public) return refused(verdict.reason, verdict.isMetadata);
  if (!defaultPorts.has(port)) return refused(`port ${port} is neither 80 nor 443`);
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
  return refused(`${address} leads to ${inner}: ${verdict.reason}`, verdict.isMetadata);
}

function refused(reason: string, isMetadata = false): Refusal {
  return { allowed: false, reason, isMetadata };
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
export type AnswerVerdict = { allowed: true; addresses: readonly string[] } | Refusal;

/**
 * Judges all addresses of a name. One refused address refuses them all, in any order, so that a name cannot mix an internal
 * address among public ones. `loopbackName` is for `localhost`, whose two addresses are this machine's own: there the
 * covered ones are enough.
 */
export function judgeAnswers(
  addresses: readonly string[],
  port: number,
  allow: readonly AllowedTarget[],
  loopbackName: boolean,
): AnswerVerdict {
  const allowed: string[] = [];
  let refusal: Refusal | null = null;
  for (const address of addresses) {
    const verdict = judgeDial(address, port, allow);
    if (verdict.allowed) allowed.push(address);
    else refusal ??= verdict;
  }
  if (refusal !== null && !(loopbackName && allowed.length > 0)) return refusal;
  if (allowed.length === 0) return refused('there is no address');
  return { allowed: true, addresses: allowed };
}
