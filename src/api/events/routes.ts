import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RunsApp } from '../../app/app.ts';
import type { OpenStream } from '../../app/events.ts';
import { describe } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { Event } from './contract.ts';
import { commentEveryMs, createEventWriter } from './stream.ts';

const operations = describe(
  { tag: 'Events', isExtension: true },
  {
    getEvents: {
      summary: 'Listen to changes',
      description:
        'Server-sent events; curl shows them with `-N`. They say what changed in the workspace, so that you ask for it again; they do not repeat what was before the stream. After a connection was lost, ask for ' +
        'everything that you show. There is at most one `changed` or `resync` every 500 ms, and a comment every 20 s.',
      response: { 200: Event },
      answerType: 'text/event-stream',
      answer: 'A stream of events. It does not end by itself.',
      failures: {
        429: {
          when: 'The key or session has 8 streams open, the sessions of the key have 16 together, or more was asked than the rate limit permits.',
          example: 'a key may have 8 event streams open: close one of them',
        },
        503: {
          when: 'Too many streams are open, or the service is temporarily unavailable.',
          example:
            'too many event streams are open on this server: ask for the lists instead, and try again later',
        },
      },
    },
  },
);

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Asks nginx to pass on each event at once.
  'x-accel-buffering': 'no',
  // Else a connection whose stream ended would stay open, and a stop would wait for it.
  connection: 'close',
} as const;

/** Adds the route. A stop ends the streams before it waits for other answers. */
export function eventRoutes(server: ApiServer, { events }: Pick<RunsApp, 'events'>): void {
  server.addHook('preClose', (done) => {
    events.close();
    done();
  });

  server.get('/events', operations.getEvents, (request, reply): void => {
    if (request.method === 'HEAD') return void beginAnswer(reply).end();
    // The client went away while its key was checked: no `close` would let go of a stream.
    if (reply.raw.destroyed) return void reply.hijack();
    // If this throws, there is an answer with the error.
    const stream = events.open(request.principal, (event) => writer.send(event));
    const response = beginAnswer(reply);
    const writer = createEventWriter(response);
    const timer = setInterval(() => {
      writer.comment();
      void lookAgain(request, stream);
    }, commentEveryMs).unref();
    response.once('close', () => {
      clearInterval(timer);
      stream[Symbol.dispose]();
    });
    writer.send(stream.hello);
  });
}

function beginAnswer(reply: FastifyReply): FastifyReply['raw'] {
  reply.headers(headers).hijack();
  return reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
}

/** Ends the stream if its key or session is not valid any more, shows another workspace now, or cannot be checked. */
async function lookAgain(request: FastifyRequest, stream: OpenStream): Promise<void> {
  try {
    const found = await request.askAgain();
    if (found === undefined) stream.end('unauthenticated');
    else if (found.workspaceId !== request.principal.workspaceId) stream.end('other workspace');
  } catch {
    // A new request says why.
    stream.end('unavailable');
  }
}
