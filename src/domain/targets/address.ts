/** IP addresses as numbers, and which are public. Unusual spellings are refused: none leads to an address that was not judged. */

import {
  azureMetadata,
  cloudMetadata,
  linkLocal,
  linkLocalMetadata,
  metadataBlocks,
} from './cloud-metadata.ts';

/** An IPv4 or IPv6 address; `value` is its 32 or 128 bits as one number. */
export interface Address {
  family: 4 | 6;
  value: bigint;
}

/** The addresses from `first` to `last`, both included, which share a prefix. */
export interface Block {
  family: 4 | 6;
  first: bigint;
  last: bigint;
  prefix: number;
  /** In CIDR notation, as it was written. */
  text: string;
}

interface SpecialBlock extends Block {
  name: string;
  source: string;
}

/**
 * The blocks that are not the public internet, as [block, name, source]: the IANA IPv4 and IPv6 Special-Purpose Address
 * Registries in full, and after each the blocks of other registries. The registries call a few rows globally reachable
 * (PCP, TURN and SRP anycast, AMT, AS112, DETs). They are infrastructure and identifiers without web sites, so they are
 * refused, too.
 */
const specialBlocks = [
  ['0.0.0.0/8', 'this network', 'RFC 791'],
  ['0.0.0.0/32', 'this host', 'RFC 1122'],
  ['10.0.0.0/8', 'private use', 'RFC 1918'],
  ['100.64.0.0/10', 'carrier-grade NAT', 'RFC 6598'],
  ['127.0.0.0/8', 'loopback', 'RFC 1122'],
  ['169.254.0.0/16', linkLocalMetadata, 'RFC 3927'],
  ['172.16.0.0/12', 'private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
  ['192.0.0.0/29', 'IPv4 service continuity', 'RFC 7335'],
  ['192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600'],
  ['192.0.0.9/32', 'port control protocol anycast', 'RFC 7723'],
  ['192.0.0.10/32', 'TURN anycast', 'RFC 8155'],
  ['192.0.0.170/32', 'NAT64/DNS64 discovery', 'RFC 8880'],
  ['192.0.0.171/32', 'NAT64/DNS64 discovery', 'RFC 8880'],
  ['192.0.2.0/24', 'documentation', 'RFC 5737'],
  ['192.31.196.0/24', 'AS112', 'RFC 7535'],
  ['192.52.193.0/24', 'automatic multicast tunneling', 'RFC 7450'],
  ['192.88.99.0/24', 'deprecated 6to4 relay', 'RFC 7526'],
  ['192.88.99.2/32', '6a44 relay', 'RFC 6751'],
  ['192.168.0.0/16', 'private use', 'RFC 1918'],
  ['192.175.48.0/24', 'AS112', 'RFC 7534'],
  ['198.18.0.0/15', 'benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'documentation', 'RFC 5737'],
  ['203.0.113.0/24', 'documentation', 'RFC 5737'],
  ['240.0.0.0/4', 'reserved', 'RFC 1112'],
  ['255.255.255.255/32', 'limited broadcast', 'RFC 919'],

  ['224.0.0.0/4', 'multicast', 'RFC 5771'],
  ['100.100.100.200/32', cloudMetadata, 'Alibaba Cloud documentation'],
  ['168.63.129.16/32', azureMetadata, 'Azure documentation'],
  ['192.0.0.192/32', cloudMetadata, 'Oracle Cloud documentation'],

  ['::1/128', 'loopback', 'RFC 4291'],
  ['::/128', 'unspecified', 'RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped', 'RFC 4291'],
  ['64:ff9b::/96', 'NAT64', 'RFC 6052'],
  ['64:ff9b:1::/48', 'local-use NAT64', 'RFC 8215'],
  ['100::/64', 'discard-only', 'RFC 6666'],
  ['100:0:0:1::/64', 'dummy prefix', 'RFC 9780'],
  ['2001::/23', 'IETF protocol assignments', 'RFC 2928'],
  ['2001::/32', 'Teredo', 'RFC 4380'],
  ['2001:1::1/128', 'port control protocol anycast', 'RFC 7723'],
  ['2001:1::2/128', 'TURN anycast', 'RFC 8155'],
  ['2001:1::3/128', 'DNS-SD service registration anycast', 'RFC 9665'],
  ['2001:2::/48', 'benchmarking', 'RFC 5180'],
  ['2001:3::/32', 'automatic multicast tunneling', 'RFC 7450'],
  ['2001:4:112::/48', 'AS112', 'RFC 7535'],
  ['2001:10::/28', 'deprecated ORCHID', 'RFC 4843'],
  ['2001:20::/28', 'ORCHIDv2', 'RFC 7343'],
  ['2001:30::/28', 'drone remote identifiers', 'RFC 9374'],
  ['2001:db8::/32', 'documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['2620:4f:8000::/48', 'AS112', 'RFC 7534'],
  ['3fff::/20', 'documentation', 'RFC 9637'],
  ['5f00::/16', 'segment routing identifiers', 'RFC 9602'],
  ['fc00::/7', 'unique local', 'RFC 4193'],
  ['fe80::/10', linkLocal, 'RFC 4291'],

  ['::/96', 'deprecated IPv4-compatible', 'RFC 4291'],
  ['::ffff:0:0:0/96', 'IPv4-translated', 'RFC 2765'],
  ['3ffe::/16', 'returned 6bone', 'RFC 3701'],
  ['fec0::/10', 'deprecated site-local', 'RFC 3879'],
  ['ff00::/8', 'multicast', 'RFC 4291'],
  ['fd00:ec2::254/128', cloudMetadata, 'AWS documentation'],
  ['fd20:ce::254/128', cloudMetadata, 'Google Cloud documentation'],
] as const;

/** The parsed blocks, longest prefix first: the most specific row gives the reason. */
type BlocksOf = Record<4 | 6, readonly SpecialBlock[]>;

let blocksOf: BlocksOf | undefined;

/** Parses them when the first address is judged: most commands judge none. */
function readSpecialBlocks(): BlocksOf {
  const blocks = specialBlocks
    .map(([text, name, source]) => Object.assign(knownBlock(text), { name, source }))
    .toSorted((x, y) => y.prefix - x.prefix);
  const { 4: four = [], 6: six = [] } = Object.groupBy(blocks, ({ family }) => family);
  return { 4: four, 6: six };
}

/** The IPv6 global unicast addresses of IANA; no others are public (RFC 4291 section 2.4). */
const globalUnicast = knownBlock('2000::/3');

/**
 * Blocks whose addresses lead to the IPv4 address inside them; `shift` is the position of its last bit. Local-use NAT64
 * is read in its usual /96 form (RFC 6052 section 2.2). Teredo inverts the bits.
 */
const carriers = (
  [
    ['::ffff:0:0/96', 0n, 0n],
    ['::ffff:0:0:0/96', 0n, 0n],
    ['64:ff9b::/96', 0n, 0n],
    ['64:ff9b:1::/48', 0n, 0n],
    ['2001::/32', 0n, 0xffff_ffffn],
    ['2002::/16', 80n, 0n],
  ] as const
).map(([text, shift, mask]) => ({ block: knownBlock(text), shift, mask }));

/** The IPv4 address, as text, to which an IPv6 address leads by translation or tunnel; null if none. */
export function embeddedIPv4(address: Address): string | null {
  if (address.family === 4) return null;
  const carrier = carriers.find(({ block }) => blockHas(block, address));
  if (carrier === undefined) return null;
  const value = Number(((address.value >> carrier.shift) & 0xffff_ffffn) ^ carrier.mask);
  return [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.');
}

/** Whether an address is on the public internet and, if not, the block that excludes it. */
export type AddressVerdict = { public: true } | ({ public: false } & AddressRefusal);

/** Why an address may not be called. */
export interface AddressRefusal {
  reason: string;
  /** Whether it is, or may be, that of a metadata service. */
  isMetadata: boolean;
}

/** Judges an address in text; text that is not an IP address is not public. */
export function judgeAddress(text: string): AddressVerdict {
  const address = parseAddress(text);
  if (address === null) return refused(`${quote(text)} is not an IP address`);
  blocksOf ??= readSpecialBlocks();
  const special = blocksOf[address.family].find((block) => blockHas(block, address));
  if (special !== undefined) {
    const { name, text: block, source } = special;
    const reason = `${text} is not public: ${name} (${block}, ${source})`;
    return refused(reason, metadataBlocks.has(name));
  }
  if (address.family === 6 && !blockHas(globalUnicast, address)) {
    return refused(`${text} is not public: outside 2000::/3 (RFC 4291)`);
  }
  return { public: true };
}

function refused(reason: string, isMetadata = false): AddressVerdict {
  return { public: false, reason, isMetadata };
}

/** Whether the block contains the address. */
export function blockHas(block: Block, address: Address): boolean {
  return (
    block.family === address.family && block.first <= address.value && address.value <= block.last
  );
}

/** Whether two texts are the same IP address; false if either is not one. */
export function sameAddress(a: string, b: string): boolean {
  const [x, y] = [parseAddress(a), parseAddress(b)];
  return x !== null && y !== null && x.family === y.family && x.value === y.value;
}

/**
 * Reads an IPv4 address (four decimal numbers without leading zeros) or an IPv6 address (RFC 4291
 * section 2.2, without brackets and zone). Returns null for everything else.
 */
export function parseAddress(text: string): Address | null {
  if (text.includes(':')) {
    const value = parseIPv6(text);
    return value === null ? null : { family: 6, value };
  }
  const value = parseIPv4(text);
  return value === null ? null : { family: 4, value };
}

/**
 * Reads `ADDRESS` or `ADDRESS/PREFIX`. Returns null for anything else, and for a block whose
 * address has bits set after the prefix: two programs would read it differently.
 */
export function parseBlock(text: string): Block | null {
  const [, addressText, prefixText] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = addressText === undefined ? null : parseAddress(addressText);
  if (address === null) return null;
  const bits = address.family === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return null;
  const hostBits = (1n << BigInt(bits - prefix)) - 1n;
  if ((address.value & hostBits) !== 0n) return null;
  const { family, value } = address;
  return { family, first: value, last: value | hostBits, prefix, text };
}

function knownBlock(text: string): Block {
  const block = parseBlock(text);
  if (block === null) throw new Error(`${text} in the table of special blocks is not a block`);
  return block;
}

function parseIPv4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let value = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = value * 256 + Number(part);
  }
  return BigInt(value);
}

function parseIPv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = '', tail] = halves;
  const before = parseGroups(head, tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (before === null || after === null) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => 0), ...after];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** 16-bit groups between colons; the last two may be written as IPv4 where the address ends. */
function parseGroups(text: string, atEnd: boolean): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const embedded = atEnd && index === parts.length - 1 ? parseIPv4(part) : null;
    if (embedded === null) return null;
    groups.push(Number(embedded >> 16n), Number(embedded & 0xffffn));
  }
  return groups;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
