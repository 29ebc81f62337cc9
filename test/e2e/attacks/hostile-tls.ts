/**
 * Hosts that cost their caller much CPU in TLS without ever answering. Prints their ports as JSON,
 * and runs until it is killed.
 */

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { absurdChain, absurdModulus, selfSigned } from '../../egress/absurd-certificates.ts';
import { serverKey } from '../../egress/certificates.ts';
import { openFloodingServer } from '../../egress/tls-flood.ts';

const mostBytes = 2_000_000_000;

async function startTls(options: TlsOptions): Promise<number> {
  const server = createServer(options, (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const publicKey = createPublicKey(serverKey).export({ type: 'spki', format: 'der' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const floods = [
  { of: 'tickets', during: 'idleness' },
  { of: 'tickets', during: 'idleness' },
  { of: 'key updates', during: 'idleness' },
  { of: 'key updates', during: 'the answer' },
] as const;
const flooding = await Promise.all(
  floods.map((flood) => openFloodingServer({ ...flood, mostBytes })),
);
const ports = [
  ...flooding.map(({ port }) => port),
  await startTls({ key: serverKey, cert: absurdChain(publicKey, 30_000) }),
  await startTls({ key: serverKey, cert: absurdChain(publicKey, 95_000) }),
  await startTls({
    key: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: selfSigned(rsa.privateKey, rsa.publicKey),
    dhparam: absurdModulus(10_000),
    ciphers: 'DHE-RSA-AES128-GCM-SHA256',
    maxVersion: 'TLSv1.2',
  }),
];
process.stdout.write(`${JSON.stringify(ports)}\n`);
