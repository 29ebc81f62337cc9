import assert from 'node:assert/strict';
import { constants, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer, type TLSSocket } from 'node:tls';
import type { FailureReason } from '../../src/domain/runs/outcome.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { answerFailure, withPortHint } from '../../src/egress/failure.ts';
import type { Resolve } from '../../src/egress/resolve.ts';
import {
  addressCertificate,
  authority,
  commonNameCertificate,
  expiredCertificate,
  foreignCertificate,
  futureCertificate,
  goodCertificate,
  innerChain,
  localhostCertificate,
  manyNamesCertificate,
  serverKey,
} from './certificates.ts';
import {
  answer,
  failureOf,
  get,
  responseOf,
  startEgress,
  startTarget,
  type Target,
} from './support.ts';

function trusting(t: TestContext): Egress {
  return startEgress(t, { ca: authority });
}

const loopback: Resolve = () => ({ kind: 'addresses', addresses: ['127.0.0.1'] });
const noTicket = constants.SSL_OP_NO_TICKET;
const good = { key: serverKey, cert: goodCertificate };

test('a certificate for the called name or address is accepted', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), { tls: good });
  const egress = trusting(t);
  assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
  const byName = target.url.replace('127.0.0.1', 'localhost');
  assert.equal(responseOf(await egress.call(get(byName))).body, 'ok');
});

test('a certificate for an address serves the address alone, and one for a name the name alone', async (t) => {
  const words = /the certificate is for other hosts/;
  for (const [cert, isForName] of [
    [addressCertificate, false],
    [localhostCertificate, true],
  ] as const) {
    const tls = { key: serverKey, cert };
    const target = await startTarget(t, (socket) => socket.write(answer('ok')), { tls });
    const egress = startEgress(t, { ca: cert });
    const byName = await egress.call(get(target.url.replace('127.0.0.1', 'localhost')));
    const byAddress = await egress.call(get(target.url));
    assert.equal(responseOf(isForName ? byName : byAddress).body, 'ok');
    assert.match(failureOf(isForName ? byAddress : byName).detail, words);
  }
});

test('the server name is sent for names only', async (t) => {
  const names: (string | false)[] = [];
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    tls: {
      ...good,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    },
  });
  const egress = trusting(t);
  await egress.call(get(target.url));
  await egress.call(get(target.url.replace('127.0.0.1', 'localhost')));
  assert.deepEqual(names, ['localhost']);
  assert.equal(target.connections, 2);
});

const [leaf, intermediate, root] = innerChain;
const toTrust =
  'to trust it, add it to the authorities of the machine that runs jobd, and restart jobd';
const from = (name: string): string =>
  `the certificate is from an authority that jobd does not know, ${name}: ${toTrust}`;

const refusals: [string, string, string | undefined, string][] = [
  ['an unknown authority', goodCertificate, undefined, from('jobd test authority')],
  [
    'an unknown authority that is sent too',
    leaf + intermediate + root,
    undefined,
    from('Inner Root'),
  ],
  ['an unknown authority behind another one', leaf + intermediate, undefined, from('Inner Root')],
  [
    'an issuer that is not sent',
    leaf,
    root,
    'the server does not send the certificate of its issuer, Inner Issuer: complete its chain, or if the authority is your own, add that to those of the machine that runs jobd',
  ],
  ['nobody else', localhostCertificate, undefined, `the certificate is self-signed: ${toTrust}`],
  [
    'another host',
    foreignCertificate,
    authority,
    'the certificate is for other hosts: elsewhere.example.com',
  ],
  [
    'many other hosts',
    manyNamesCertificate,
    manyNamesCertificate,
    'the certificate is for other hosts: n1.example.com, n2.example.com, n3.example.com and 39 more',
  ],
  [
    'a common name',
    commonNameCertificate,
    commonNameCertificate,
    'the certificate is for other hosts: localhost',
  ],
  ['a past year', expiredCertificate, authority, 'the certificate has expired on 2020-02-01'],
  [
    'a year to come',
    futureCertificate,
    futureCertificate,
    'the certificate is not valid before 2100-01-01',
  ],
];

for (const [what, cert, ca, words] of refusals) {
  test(`a certificate of ${what} is refused before any request is sent`, async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
      tls: { key: serverKey, cert },
    });
    const egress = startEgress(t, ca === undefined ? {} : { ca });
    const failure = failureOf(await egress.call(get(target.url)));
    assert.equal(failure.reason, 'tls');
    assert.equal(failure.detail.replace(/ \([A-Z_]+\)$/, ''), `127.0.0.1: ${words}`);
    assert.equal(target.requests.length, 0);
  });
}

test('of the certificates that a server sends, the first one must be for the host', async (t) => {
  const startWith = (cert: string) =>
    startTarget(t, (socket) => socket.write(answer('ok')), { tls: { key: serverKey, cert } });
  const behind = await startWith(foreignCertificate + goodCertificate);
  const failure = failureOf(await trusting(t).call(get(behind.url)));
  assert.match(failure.detail, /the certificate is for other hosts: elsewhere\.example\.com/);
  const before = await startWith(goodCertificate + foreignCertificate);
  assert.equal(responseOf(await trusting(t).call(get(before.url))).body, 'ok');
});

test('a server that does not speak TLS is told apart from one whose handshake fails', async (t) => {
  const target = await startTarget(t, () => {}, {
    greet: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  });
  const failure = failureOf(await trusting(t).call(get(target.url.replace('http:', 'https:'))));
  assert.equal(failure.reason, 'no_tls');
  assert.match(failure.detail, /does not speak TLS/);
});

test('a server that takes HTTP/2 alone, and one that wants a certificate, are told apart', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    tls: { ...good, ALPNProtocols: ['h2'] },
  });
  const { detail } = failureOf(await trusting(t).call(get(target.url)));
  assert.match(detail, /^127\.0\.0\.1: .*perhaps only HTTP\/2: let it offer both \(/);
  // It comes when the handshake is over for the client.
  const wanted = Object.assign(new Error('alert'), {
    code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  });
  assert.match(answerFailure(wanted).detail, /^the server wants a certificate of its client, /);
});

function hintAt(protocol: 'http:' | 'https:', port: number, reason: FailureReason = 'reset') {
  return withPortHint({ reason, detail: 'closed' }, { protocol, port }).detail;
}

test('http that is not answered at a port that is mostly https leads to the question whether it is', () => {
  for (const port of [443, 8443, 9443, 6443]) {
    assert.equal(hintAt('http:', port), `closed; port ${port} is mostly https: is the URL right?`);
  }
  assert.equal(hintAt('http:', 443, 'protocol'), hintAt('http:', 443));
  const others = [
    hintAt('http:', 80),
    hintAt('http:', 8080),
    hintAt('http:', 43_443),
    hintAt('https:', 443),
    hintAt('http:', 443, 'refused'),
  ];
  assert.deepEqual(
    others,
    others.map(() => 'closed'),
  );
});

test('a server with no TLS version in common fails with tls', async (t) => {
  const target = await startTarget(t, () => {}, {
    tls: { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
  });
  assert.equal(failureOf(await trusting(t).call(get(target.url))).reason, 'tls');
});

test('a reset during the handshake fails with reset', async (t) => {
  const target = await startTarget(t, () => {}, { greet: (socket) => socket.resetAndDestroy() });
  const failure = failureOf(await trusting(t).call(get(target.url.replace('http:', 'https:'))));
  assert.equal(failure.reason, 'reset', failure.detail);
});

test('a session is only offered to the scheme, host and port it was made for', async (t) => {
  // With tickets switched off a server reports each session id it is offered.
  const server = createServer({ ...good, maxVersion: 'TLSv1.2', secureOptions: noTicket });
  const sessions = new Map<string, Buffer>();
  let offered = 0;
  server.on('newSession', (id, session, done) => {
    sessions.set(id.toString('hex'), session);
    done();
  });
  server.on('resumeSession', (id, done) => {
    // Ids that were never issued only exist for middleboxes.
    const session = sessions.get(id.toString('hex')) ?? null;
    if (session !== null) offered++;
    done(null, session);
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer('ok', '200 OK', 'connection: close\r\n')));
  });
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const egress = startEgress(t, { ca: authority, resolve: loopback });
  const offers: [string, number][] = [];
  for (const host of ['localhost', 'localhost', '127.0.0.1', '127.0.0.1', 'other.example.com']) {
    const before = offered;
    await egress.call(get(`https://${host}:${port}/`));
    offers.push([host, offered - before]);
  }
  // A resumed session would skip the check that the certificate is for this name.
  assert.deepEqual(offers, [
    ['localhost', 0],
    ['localhost', 1],
    ['127.0.0.1', 0],
    ['127.0.0.1', 1],
    ['other.example.com', 0],
  ]);
});

test('renegotiation is refused', async (t) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const target = await startTarget(
    t,
    (socket) => {
      const tls = socket as TLSSocket;
      tls.on('secure', () => end('renegotiated'));
      tls.on('error', ({ message }) => {
        end(message);
        tls.destroy();
      });
      tls.renegotiate({}, () => {});
    },
    { tls: { ...good, maxVersion: 'TLSv1.2' } },
  );
  const call = trusting(t).call(get(target.url));
  assert.match(await ended, /no renegotiation/);
  assert.equal(failureOf(await call).reason, 'tls');
});

test('TLS sessions are resumed on new connections to the same name', async (t) => {
  const reused: boolean[] = [];
  const target = await startTarget(
    t,
    (socket) => {
      reused.push(
        'isSessionReused' in socket && (socket as { isSessionReused(): boolean }).isSessionReused(),
      );
      socket.end(answer('ok', '200 OK', 'connection: close\r\n'));
    },
    { tls: good },
  );
  const egress = trusting(t);
  await egress.call(get(target.url));
  await egress.call(get(target.url));
  assert.deepEqual(reused, [false, true]);
});

test('a TLS 1.3 session is only offered to the same name and port, though all servers would accept it', async (t) => {
  const resumed: string[] = [];
  // Servers with the same ticket keys accept each other's tickets.
  const ticketKeys = randomBytes(48);
  const start = (): Promise<Target> =>
    startTarget(
      t,
      (socket, request) => {
        const host = /\r\nhost: (\S+)/i.exec(request)?.[1] ?? '';
        if ((socket as TLSSocket).isSessionReused()) resumed.push(host);
        socket.end(answer('ok', '200 OK', 'connection: close\r\n'));
      },
      { tls: { ...good, minVersion: 'TLSv1.3', ticketKeys } },
    );
  const [one, other] = [await start(), await start()];
  const egress = startEgress(t, { ca: authority, resolve: loopback });
  const call = async (host: string, { port }: Target): Promise<void> => {
    responseOf(await egress.call(get(`https://${host}:${port}/`)));
  };
  await call('localhost', one);
  await call('127.0.0.1', one);
  await call('localhost', other);
  assert.deepEqual(resumed, []);
  // Another egress instance, with its own rules, has none of them.
  const strangers = startEgress(t, { ca: authority, resolve: loopback });
  responseOf(await strangers.call(get(`https://localhost:${one.port}/`)));
  assert.deepEqual(resumed, []);
  await call('localhost', one);
  await call('127.0.0.1', one);
  await call('localhost', other);
  const hosts = [`localhost:${one.port}`, `127.0.0.1:${one.port}`, `localhost:${other.port}`];
  assert.deepEqual(resumed, hosts);
});

test('a session does not replace the check of a refused certificate', async (t) => {
  const target = await startTarget(t, (socket) => socket.end(answer('ok')), {
    tls: { key: serverKey, cert: foreignCertificate },
  });
  const egress = trusting(t);
  for (let round = 0; round < 3; round++) {
    assert.equal(failureOf(await egress.call(get(target.url))).reason, 'tls');
  }
  assert.deepEqual(target.requests, []);
});
