/** HTTP as bytes on a plain socket, for broken clients. */

import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** One answer as received. */
export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Map<string, string>;
  body: string;
}

/**
 * Connects to the server at this URL. Errors of the connection count as its end. With
 * `allowHalfOpen` the client does not end its side when the server does.
 */
export async function openSocket(
  url: string,
  { allowHalfOpen = false }: { allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Resolves with all bytes that come until the server closes; a reset ends them too. */
export async function receiveAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => {
    if (socket.closed) resolve(null);
    // `once` of node:events would reject if the connection is reset.
    else socket.once('close', resolve);
  });
  return Buffer.concat(chunks);
}

/** Sends bytes, leaves its side open, and resolves with the answers once the server has closed. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawAnswer[]> {
  const socket = await openSocket(url);
  socket.write(bytes);
  return parseAnswers(await receiveAll(socket));
}

/** Reads answers one after the other; throws where the bytes are no whole answer. */
export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? [];
    if (status === undefined) throw new Error(`no answer of HTTP: ${rest.slice(0, 200)}`);
    const headers = new Map(
      lines.map((line) => {
        const [name = '', value = ''] = line.split(/: (.*)/, 2);
        return [name.toLowerCase(), value];
      }),
    );
    const length = Number(headers.get('content-length') ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) throw new Error(`an answer broke off: ${rest.slice(0, 500)}`);
    answers.push({ status: Number(status), headers, body: Buffer.from(body, 'latin1').toString() });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
