/**
 * A TLS 1.3 server that floods its client with session tickets or key updates, which no TLS library
 * does. It reads the keys of its own connection from Node, and writes records past OpenSSL (RFC
 * 8446).
 */
import { createCipheriv, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { goodCertificate, serverKey } from './certificates.ts';
import { answer, kept } from './support.ts';

/** The content of the flood, and when it comes. */
export interface Flood {
  of: 'tickets' | 'key updates';
  /** Before the answer, which then never comes, or after it is complete. */
  during: 'the answer' | 'idleness';
  /** It begins when this resolves: what is written right after an answer may be read with it. Default: at once. */
  from?: Promise<unknown>;
  /** It ends after this many bytes on one connection. */
  mostBytes: number;
}

export interface FloodingServer extends AsyncDisposable {
  port: number;
  requests: number;
  /**
   * Flood bytes handed to the system, and connections that were closed before the end of their
   * flood.
   */
  bytes: number;
  closed: number;
}

const handshakeType = 22;
/** No lifetime, age, nonce or extension, and one byte of ticket. */
const ticket = Buffer.from('0400000e00000000000000000000010100'.padEnd(36, '0'), 'hex');
/** Not requesting an update in return. */
const keyUpdate = Buffer.from('1800000100', 'hex');
const ticketsPerRecord = Math.floor(16_000 / ticket.length);
const updatesPerWrite = 500;
/** OpenSSL's own tickets before the first answer: two. */
const recordsBefore = 2;

/** Starts it on 127.0.0.1. */
export async function openFloodingServer(flood: Flood): Promise<FloodingServer> {
  const server = createServer({
    key: serverKey,
    cert: goodCertificate,
    minVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_128_GCM_SHA256',
  });
  const flooding: FloodingServer = {
    port: 0,
    requests: 0,
    bytes: 0,
    closed: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const sockets = new Map<Socket, Buffer | null>();
  server.on('connection', (raw: Socket) => {
    sockets.set(raw, null);
    raw.on('error', () => {}).on('close', () => sockets.delete(raw));
  });
  server.on('tlsClientError', () => {});
  server.on('keylog', (line: Buffer, { remotePort }: TLSSocket) => {
    const [label, , secret] = line.toString().trim().split(' ');
    if (label !== 'SERVER_TRAFFIC_SECRET_0' || secret === undefined) return;
    const raw = [...sockets.keys()].find((socket) => socket.remotePort === remotePort);
    if (raw !== undefined) sockets.set(raw, Buffer.from(secret, 'hex'));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      flooding.requests += 1;
      const found = [...sockets].find(([raw]) => raw.remotePort === socket.remotePort);
      const [raw, secret] = found ?? [];
      if (raw === undefined || secret === null || secret === undefined) return;
      const answers = flood.during === 'idleness';
      if (answers) socket.write(answer('ok', '200 OK', kept));
      // OpenSSL's output is still in flight, too.
      setImmediate(() => {
        const records = new Records(secret, recordsBefore + (answers ? 1 : 0));
        void pour(raw, records, flood, flooding);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  flooding.port = (server.address() as AddressInfo).port;
  return flooding;
}

/** Writes the flood as fast as the client reads. */
async function pour(
  raw: Socket,
  records: Records,
  { of, from, mostBytes }: Flood,
  flooding: FloodingServer,
): Promise<void> {
  await from;
  const gone = once(raw, 'close');
  for (let bytes = 0; bytes < mostBytes;) {
    const piece = of === 'tickets' ? records.tickets() : records.keyUpdates();
    const isTaken = raw.write(piece);
    bytes += piece.length;
    flooding.bytes += piece.length;
    // Other connections get a turn even if writes never block.
    await Promise.race([gone, isTaken ? new Promise(setImmediate) : once(raw, 'drain')]).catch(
      () => {},
    );
    if (raw.destroyed) {
      flooding.closed += 1;
      return;
    }
  }
}

/** Records under the server's traffic key (section 5.2), and under its successors (7.2). */
class Records {
  #secret: Buffer;
  #sequence: number;
  #key: Buffer;
  #iv: Buffer;

  constructor(secret: Buffer, sequence: number) {
    this.#secret = secret;
    this.#sequence = sequence;
    this.#key = expand(secret, 'key', 16);
    this.#iv = expand(secret, 'iv', 12);
  }

  tickets(): Buffer {
    return this.#seal(Buffer.concat(Array.from({ length: ticketsPerRecord }, () => ticket)));
  }

  keyUpdates(): Buffer {
    const records = Array.from({ length: updatesPerWrite }, () => {
      const record = this.#seal(keyUpdate);
      this.#secret = expand(this.#secret, 'traffic upd', 32);
      this.#sequence = 0;
      this.#key = expand(this.#secret, 'key', 16);
      this.#iv = expand(this.#secret, 'iv', 12);
      return record;
    });
    return Buffer.concat(records);
  }

  #seal(content: Buffer): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#sequence) >>> 0, 8);
    this.#sequence += 1;
    const size = content.length + 1 + 16;
    const head = Buffer.from([0x17, 3, 3, size >> 8, size & 0xff]);
    const cipher = createCipheriv('aes-128-gcm', this.#key, nonce).setAAD(head);
    const sealed = cipher.update(Buffer.concat([content, Buffer.from([handshakeType])]));
    return Buffer.concat([head, sealed, cipher.final(), cipher.getAuthTag()]);
  }
}

/** HKDF-Expand-Label of one block (section 7.1). */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}
