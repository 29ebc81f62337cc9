/** A DNS server with scripted answers, over UDP and TCP (a minimal RFC 1035). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { parseAddress } from '../../src/domain/targets/address.ts';

/** The answer to one question. */
export type Reply = string[] | 'SERVFAIL' | 'NXDOMAIN' | 'TIMEOUT';

/** The answer for a name: addresses of both families, after a chain of aliases. */
export interface Zone {
  a?: Reply;
  aaaa?: Reply;
  /** The name, its aliases, and finally the name that has the addresses. */
  cname?: string[];
  /** The owner name of the addresses; default: the end of the chain. */
  owner?: string;
  /** TXT records of 200 bytes in the additional section. */
  texts?: number;
  ttl?: number;
  /** Of IPv6 addresses, if it is another one. */
  ttlOfIpv6?: number;
}

/** A running server and the questions it got, as `A example.com`. */
export interface DnsServer extends AsyncDisposable {
  address: string;
  questions: string[];
  /** TCP connections so far. */
  readonly connections: number;
}

/** This server is as late as its process, which asks: so long no question is asked again. */
export const patienceMs = 10_000;

/** Names that begin with `silent` get no answer, others the address of this machine. */
export function silentOrLoopback(name: string): Zone {
  return name.startsWith('silent') ? { a: 'TIMEOUT', aaaa: 'TIMEOUT' } : { a: ['127.0.0.1'] };
}

const typeA = 1;
const typeCname = 5;
const typeText = 16;
const typeAaaa = 28;
/** Longer UDP answers are truncated, so that the client retries over TCP. */
const maxDatagram = 512;

/** Starts a server on loopback that calls `lookUp` for each question; it stops with the test. */
export async function startDnsServer(
  t: TestContext,
  lookUp: (name: string) => Zone,
): Promise<DnsServer> {
  const server = await openDnsServer(lookUp, { host: '127.0.0.1', port: 0 });
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

/** Starts a server at this address. */
export async function openDnsServer(
  lookUp: (name: string) => Zone,
  at: { host: string; port: number },
): Promise<DnsServer> {
  const questions: string[] = [];
  const reply = (message: Buffer): Buffer | null => {
    const question = readQuestion(message);
    questions.push(`${question.type === typeA ? 'A' : 'AAAA'} ${question.name}`);
    return answerTo(message, question, lookUp(question.name));
  };

  let connections = 0;
  const tcp = createServer((socket) => {
    connections++;
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const answer = reply(received.subarray(2, end));
        received = received.subarray(end);
        if (answer === null) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  });
  tcp.listen(at.port, at.host);
  await once(tcp, 'listening');
  const bound = tcp.address();
  const port = bound === null || typeof bound === 'string' ? at.port : bound.port;

  const udp = createSocket(at.host.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (message, peer) => {
    const answer = reply(message);
    if (answer === null) return;
    udp.send(answer.length > maxDatagram ? truncated(answer) : answer, peer.port, peer.address);
  });
  udp.bind(port, at.host);
  await once(udp, 'listening');

  return {
    address: `${at.host}:${port}`,
    questions,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(tcp, 'close');
      udp.close();
      tcp.close();
      await closed;
    },
  };
}

interface Question {
  name: string;
  type: number;
  end: number;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(message: Buffer, { name, type, end }: Question, zone: Zone): Buffer | null {
  const reply = (type === typeA ? zone.a : zone.aaaa) ?? [];
  if (reply === 'TIMEOUT') return null;
  const records = typeof reply === 'string' ? [] : answerRecords(name, zone, type, reply);
  const text = Buffer.alloc(200, 't');
  text[0] = 199;
  const texts = Array.from({ length: zone.texts ?? 0 }, () => record(pointer, typeText, 60, text));
  const code = reply === 'SERVFAIL' ? 2 : reply === 'NXDOMAIN' ? 3 : 0;
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(texts.length, 10);
  return Buffer.concat([header, message.subarray(12, end), ...records, ...texts]);
}

/** The question alone, with the truncation bit (RFC 1035 section 4.1.1). */
function truncated(answer: Buffer): Buffer {
  const cut = Buffer.from(answer.subarray(0, readQuestion(answer).end));
  cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2);
  cut.fill(0, 6, 12);
  return cut;
}

function answerRecords(name: string, zone: Zone, type: number, addresses: string[]): Buffer[] {
  const ttl = (type === typeAaaa ? zone.ttlOfIpv6 : undefined) ?? zone.ttl ?? 60;
  const chain = zone.cname ?? [name];
  const aliases = chain
    .slice(1)
    .map((to, index) => record(nameBytes(chain[index] ?? name), typeCname, ttl, nameBytes(to)));
  const owner = zone.owner ?? chain.at(-1) ?? name;
  const ownerBytes = owner === name ? pointer : nameBytes(owner);
  return [
    ...aliases,
    ...addresses.map((address) => record(ownerBytes, type, ttl, addressBytes(address, type))),
  ];
}

/** The name of the question, as a pointer to it (RFC 1035 section 4.1.4). */
const pointer = Buffer.from([0xc0, 12]);

function record(owner: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label);
  return Buffer.from(`${labels.join('')}\0`, 'latin1');
}

function addressBytes(text: string, type: number): Buffer {
  const address = parseAddress(text);
  const length = type === typeAaaa ? 16 : 4;
  if (address === null || (address.family === 6) !== (type === typeAaaa)) {
    throw new Error(`${text} does not fit a record of type ${type}`);
  }
  return Buffer.from(address.value.toString(16).padStart(length * 2, '0'), 'hex');
}
