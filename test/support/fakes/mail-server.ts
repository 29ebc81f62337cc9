/** A mail server on loopback that records its messages. */

import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A received message and its session. */
export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  /** Whether it came over TLS. */
  secure: boolean;
}

/** Starts it, without TLS and without passwords unless said otherwise; it ends with the test. */
export async function startMailServer(t: TestContext, options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, { envelope, secure }, callback) {
      const keep = async (): Promise<void> => {
        const bytes = await buffer(stream);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, raw: bytes.toString(), secure });
        callback();
      };
      void keep();
    },
    ...options,
  });
  // A client that refuses a certificate hangs up.
  server.on('error', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // Does not wait for kept connections.
  t.after(() => {
    server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  return { received, host: `127.0.0.1:${port}` };
}
