/** `jobd demo`: a target on this machine to try jobs with. */

import type { Command } from 'commander';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Flags } from '../../settings/config.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { listenError } from '../../domain/errors.ts';
import { parseWholeNumber } from '../../settings/setting.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../exit-codes.ts';
import { coloured, state } from '../terminal/cell.ts';
import { printLine, type Output } from '../terminal/output.ts';
import { padTo, plain } from '../terminal/text.ts';
import { catchInterrupt } from '../terminal/waiting.ts';
import { programName } from './program-name.ts';

const host = '127.0.0.1';
const slowMs = 5_000;
/** How long after its answer a path reports. */
const laterMs = 3_000;
const longestEchoKiB = 64;

interface Answer {
  status: number;
  body: string;
  /** How long the target takes; nothing if it answers at once. */
  afterMs?: number;
}

/** What a path of the target does. */
interface Path {
  does: string;
  /** `count` is how often the path was called, this call included. */
  answer: (request: IncomingMessage, count: number) => Answer | Promise<Answer>;
}

const headersOfAnswers = {
  'content-type': 'text/plain; charset=utf-8',
  // A browser must not take what it echoes for a page.
  'x-content-type-options': 'nosniff',
};

const ok: Answer = { status: 200, body: 'ok\n' };
const down: Answer = { status: 503, body: 'down for maintenance\n' };

const paths: Readonly<Record<string, Path>> = {
  '/ok': { does: 'answers 200', answer: () => ok },
  '/slow': {
    does: `answers 200 after ${slowMs / 1_000} s`,
    answer: () => ({ ...ok, afterMs: slowMs }),
  },
  '/later': {
    does: `answers 202, and reports after ${laterMs / 1_000} s that it is done`,
    answer: laterOf,
  },
  '/flaky': {
    does: 'answers 503 to every second call',
    answer: (_, count) => (count % 2 === 0 ? down : ok),
  },
  '/down': { does: 'answers 503', answer: () => down },
  '/echo': {
    does: `answers what it was sent, up to ${longestEchoKiB} KiB`,
    answer: echoOf,
  },
};

/** A call as it is printed. */
interface Call {
  at: string;
  method: string;
  path: string;
  /** Null if the caller left before the answer. */
  status: number | null;
  ms: number;
  /** The run that called, if a run did. */
  runId: string | null;
}

/** Adds the command. */
export function addDemoCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('demo')
    .description('serve a target on this machine to try jobs with, until Ctrl-C')
    .option('--port <port>', 'port to listen on, 0 for any free one', '8090')
    .option('--json', 'print a JSON document per call on a terminal too')
    .addHelpText(
      'after',
      `
Examples:
  jobd demo
  jobd demo --port 9000

Its paths:
${pathLines().join('\n')}

It prints each call, and before that the lines that let jobd call it.`,
    )
    .action(async (flags: Flags) => {
      const port = parseWholeNumber(String(flags['port']), '--port', { min: 0, max: 65_535 });
      const isText = output.isTerminal && flags['json'] !== true;
      using interrupt = catchInterrupt();
      const server = createTarget((call) => (isText ? printCall : printLine)(output, call));
      server.listen({ host, port });
      try {
        await once(server, 'listening');
      } catch (error) {
        throw listenError(error, { host, port }, { host: '--port', port: '--port' });
      }
      output.say(firstSteps((server.address() as AddressInfo).port));
      if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
      server.close();
      server.closeAllConnections();
      context.exitCode = interruptedExitCode;
    });
}

function pathLines(): string[] {
  return Object.entries(paths).map(([path, { does }]) => `  ${padTo(path, 8)}${does}`);
}

/** The target. `print` gets each call when it is over. */
function createTarget(print: (call: Call) => void): Server {
  const counts = new Map<string, number>();
  return createServer((request, response) => {
    const { method = '', url = '/', headers } = request;
    const path = url.split('?')[0] ?? '';
    const count = (counts.get(path) ?? 0) + 1;
    if (Object.hasOwn(paths, path)) counts.set(path, count);
    const begun = systemClock.monotonicMs();
    const at = isoTime(systemClock.now());
    let timer: NodeJS.Timeout | undefined;
    response.once('close', () => {
      clearTimeout(timer);
      const status = response.writableFinished ? response.statusCode : null;
      const ms = Math.round(systemClock.monotonicMs() - begun);
      const runId = headers['x-service-run-id']?.toString() ?? null;
      print({ at, method, path, status, ms, runId });
    });
    const send = ({ status, body, afterMs = 0 }: Answer): void => {
      timer = setTimeout(() => {
        response.writeHead(status, headersOfAnswers).end(body);
      }, afterMs);
    };
    // A caller that leaves while it sends its body closes the response.
    const answer = isMeant(request) ? answerTo(path, request, count) : elsewhere;
    Promise.resolve(answer).then(send, () => {});
  });
}

const elsewhere: Answer = { status: 421, body: `this target is called by ${host} only\n` };

/** Whether it is asked by its own address: a page of the web cannot have a name of its own lead here. */
function isMeant({ headers, socket }: IncomingMessage): boolean {
  const { hostname, port } = URL.parse(`http://${headers.host}`) ?? {};
  const isPort = Number(port === '' ? 80 : port) === socket.localPort;
  return isPort && (hostname === host || hostname === 'localhost');
}

function answerTo(path: string, request: IncomingMessage, count: number): Answer | Promise<Answer> {
  const known = Object.hasOwn(paths, path) ? paths[path] : undefined;
  return known?.answer(request, count) ?? { status: 404, body: `${pathLines().join('\n')}\n` };
}

/** Takes on work, and reports its end if the call says where. A page of the web cannot send that header here. */
function laterOf({ headers }: IncomingMessage): Answer {
  const url = headers['x-service-report-url'];
  if (typeof url === 'string') reportAfter(url, laterMs);
  return { status: 202, body: url === undefined ? 'nobody waits for a report\n' : 'will report\n' };
}

/** Reports success after some milliseconds, to where a call said. */
export function reportAfter(url: string, ms: number): void {
  const report = () => void fetch(url, { method: 'POST', redirect: 'error' }).catch(() => {});
  setTimeout(report, ms).unref();
}

/** The request as text: its first line, its headers, its body. */
async function echoOf(request: IncomingMessage): Promise<Answer> {
  const { method, url, headers } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and dropped, so that the caller gets its answer.
    if (length <= longestEchoKiB * 1024) chunks.push(chunk);
  }
  if (length > longestEchoKiB * 1024) {
    return { status: 413, body: `the body is longer than ${longestEchoKiB} KiB\n` };
  }
  const body = Buffer.concat(chunks).toString();
  return { status: 200, body: `${[`${method} ${url}`, ...lines, '', body].join('\n')}\n` };
}

/** A line for people: when it began (local time), what was asked, what was answered, how long it took, and by which run. */
function printCall(output: Output, { at, method, path, status, ms, runId }: Call): void {
  const word = state(status !== null && status < 400 ? 'success' : 'failed');
  const answer = coloured(output, word, padTo(String(status ?? 'left'), 4));
  const run = runId === null ? '' : `  run ${plain(runId)}`;
  const time = new Date(at).toLocaleTimeString('sv-SE');
  output.styled(`${time}  ${answer}  ${plain(`${method} ${path}`)}  ${ms} ms${run}`);
}

/** What people see first: the paths, and the lines that let jobd call them. */
function firstSteps(port: number): string {
  const jobd = programName();
  const url = `http://${host}:${port}`;
  return [
    `listening on ${url}, Ctrl-C stops it`,
    ...pathLines(),
    '',
    'To let jobd call it, and for jobs that do:',
    `  ${jobd} serve --allow-target ${host}:${port}`,
    ...['ok', 'flaky'].map(
      (name) => `  ${jobd} jobs create --name ${name} --url ${url}/${name} --every 1m`,
    ),
    `  ${jobd} jobs create --name later --url ${url}/later --every 1h --report-within 1m`,
    `  ${jobd} jobs create --name then --url ${url}/ok --after later`,
    '',
  ].join('\n');
}
