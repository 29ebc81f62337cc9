/** Listens to the events of a running jobd. */

import type { Event } from '../../api/events/contract.ts';
import type { ClientConfig } from './profiles.ts';
import { JobdError } from '../../domain/errors.ts';
import { authorization, failureOf, jsonOf, noJobd } from './client.ts';
import { exchangeLive, type LiveAnswer } from './exchange.ts';

/** The first event comes at once, and then at least a comment every 20 s. */
const helloWithinMs = 10_000;
const longestSilenceMs = 50_000;
/** An event names at most 200 ids, which are some 24 KB. */
const longestEvent = 256 * 1024;

/** Opens a stream and yields its events until it ends. Throws `JobdError`; `not_found` if the server has no events. */
export type Listen = (signal: AbortSignal) => AsyncGenerator<Event>;

/** Makes what listens to a server. */
export function createListener(server: ClientConfig): Listen {
  const url = `${server.url}/api/v1/events`;
  return async function* listen(signal) {
    const headers = { ...authorization(server), accept: 'text/event-stream' };
    const question = { method: 'GET', headers, body: null, signal };
    try {
      const answer = await exchangeLive(url, question, helloWithinMs);
      if (answer.status !== 200)
        throw failureOf({ ...answer, text: await restOf(answer) }, url, server.keyFrom);
      if (!answer.type.startsWith('text/event-stream')) throw noJobd(url);
      for await (const block of blocksOf(answer.chunks)) {
        if (block === null) throw noJobd(url);
        answer.allowSilence(longestSilenceMs);
        const event = eventOf(block);
        if (event !== null) yield event;
      }
    } catch (error) {
      if (error instanceof JobdError || signal.aborted) throw error;
      const { origin } = new URL(url);
      const { message, code } = error as NodeJS.ErrnoException;
      const text = `no events from ${origin}: ${message || code}`;
      throw new JobdError('unreachable', text, { cause: error });
    }
  };
}

async function restOf({ chunks }: LiveAnswer): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > longestEvent) break;
  }
  return text;
}

/** What is between empty lines; null if that is too long for jobd. */
async function* blocksOf(chunks: AsyncIterable<string>): AsyncGenerator<string | null> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
    if (rest.length > longestEvent) yield null;
  }
}

/** The event of a block; null for a comment, and for an event that this version does not know. */
export function eventOf(block: string): Event | null {
  const [, name, text = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
  const data = jsonOf(text);
  if (name === 'changed') return isChange(data) ? { event: name, data } : null;
  if (name === 'hello' || name === 'resync' || name === 'end')
    return { event: name, data } as Event;
  return null;
}

type Change = Extract<Event, { event: 'changed' }>['data'];

function isChange(data: unknown): data is Change {
  return typeof data === 'object' && data !== null && 'runs' in data && Array.isArray(data.runs);
}
