import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import type { Event } from '../../../src/api/events/contract.ts';
import { assertConforms } from '../checks/conformance.ts';
import { until } from '../until.ts';

export interface TestStream {
  headers: IncomingHttpHeaders;
  /** Every event so far; each matched the description of the API. */
  events: Event[];
  /** All that came, comments too. */
  text: () => string;
  /** Whether the server ended it. */
  isOver: () => boolean;
  /** Waits for an event that has not been waited for, and skips those before it. */
  next: <Name extends Event['event']>(name: Name) => Promise<Extract<Event, { event: Name }>>;
  close: () => void;
}

/** Opens a stream, which closes with the test. Rejects with status and error if it is refused. */
export async function openStream(
  t: TestContext,
  { url, ...asker }: { url: string } & ({ key: string } | { cookie: string }),
): Promise<TestStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers =
    'key' in asker ? { authorization: `Bearer ${asker.key}` } : { cookie: asker.cookie };
  const asked = request(`${url}/api/v1/events`, { headers, agent: false }, resolve);
  asked.on('error', reject).end();
  t.after(() => asked.destroy());
  const response = (await promise).setEncoding('utf8');
  const events: Event[] = [];
  let text = '';
  let isOver = false;
  let read = 0;
  let waited = 0;
  response.on('error', () => {});
  response.on('close', () => {
    isOver = true;
  });
  response.on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n\n', read); end >= 0; end = text.indexOf('\n\n', read)) {
      const block = text.slice(read, end);
      read = end + 2;
      if (block.startsWith(':')) continue;
      const [, event, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      events.push({ event, data: JSON.parse(data) } as Event);
    }
  });
  const { statusCode: status = 0 } = response;
  if (status !== 200) {
    await until('the error', () => isOver);
    throw Object.assign(new Error(`${status} ${text}`), { status, headers: response.headers });
  }
  const stream: TestStream = {
    headers: response.headers,
    events,
    text: () => text,
    isOver: () => isOver,
    async next(name) {
      const index = await until(`the event ${name} after ${text.slice(-300)}`, () => {
        const found = events.findIndex(({ event }, at) => at >= waited && event === name);
        return found < 0 ? null : { found };
      });
      waited = index.found + 1;
      const event = events[index.found] as Event;
      await assertConforms(
        { method: 'GET', url: '/api/v1/events' },
        { status, headers: new Headers(response.headers as Record<string, string>), body: event },
      );
      return event as Extract<Event, { event: typeof name }>;
    },
    close: () => asked.destroy(),
  };
  await stream.next('hello');
  return stream;
}
