/** A DNS server on loopback that answers what a test says (RFC 1035, the little that is needed). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { parseAddress } from '../../src/domain/address.ts';

/** What one question is answered with. */
export type Reply = string[] | 'SERVFAIL' | 'NXDOMAIN' | 'TIMEOUT';

/** Answers for a name: addresses of both families, after a chain of aliases. */
export interface Zone {
  a?: Reply;
  aaaa?: Reply;
  /** The name, its aliases, and at last the name that has the addresses. */
  cname?: string[];
  ttl?: number;
}

/** A running server and the questions it got, as `A example.com`. */
export interface DnsServer {
  address: string;
  questions: string[];
}

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;

/** Starts a server that asks `lookUp` for each question; it stops with the test. */
export async function startDnsServer(
  t: TestContext,
  lookUp: (name: string) => Zone,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = { address: '', questions: [] };
  socket.on('message', (message, peer) => {
    const { name, type, end } = readQuestion(message);
    server.questions.push(`${type === typeA ? 'A' : 'AAAA'} ${name}`);
    const zone = lookUp(name);
    const reply = (type === typeA ? zone.a : zone.aaaa) ?? [];
    if (reply === 'TIMEOUT') return;
    const records = typeof reply === 'string' ? [] : answerRecords(name, zone, type, reply);
    const code = reply === 'SERVFAIL' ? 2 : reply === 'NXDOMAIN' ? 3 : 0;
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const question = message.subarray(12, end);
    socket.send(Buffer.concat([header, question, ...records]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  t.after(() => {
    socket.close();
  });
  return server;
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerRecords(name: string, zone: Zone, type: number, addresses: string[]): Buffer[] {
  const ttl = zone.ttl ?? 60;
  const chain = zone.cname ?? [name];
  const aliases = chain
    .slice(1)
    .map((to, index) => record(chain[index] ?? name, typeCname, ttl, nameBytes(to)));
  const owner = chain.at(-1) ?? name;
  return [
    ...aliases,
    ...addresses.map((address) => record(owner, type, ttl, addressBytes(address, type))),
  ];
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label);
  return Buffer.from(`${labels.join('')}\0`, 'latin1');
}

function addressBytes(text: string, type: number): Buffer {
  const address = parseAddress(text);
  const length = type === typeAaaa ? 16 : 4;
  if (address === null || (address.family === 6) !== (type === typeAaaa)) {
    throw new Error(`${text} cannot be told in a record of type ${type}`);
  }
  return Buffer.from(address.value.toString(16).padStart(length * 2, '0'), 'hex');
}
