/**
 * Prints runs as they end. The server's events say which runs to ask about. Where they do not get through, it polls, and tries
 * them again later. Each connection begins with a poll, so nothing that happened before it is missed.
 */

import type { ListedRun } from '../../api/runs/contract.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Listen } from '../client/listen.ts';
import { passingDelayMs, pause, retry } from '../client/retry.ts';
import type { Output } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { createNews } from './news.ts';
import type { Changes, Follower } from './tail.ts';

/** Between two polls, and before a stream is opened again. */
const pauseMs = 1_000;
/** How long it polls before it tries the events again. */
const pollForMs = 60_000;
/** A stream that lasted this long worked: its end counts as the first. */
const steadyAfterMs = 60_000;
/** After this many short streams in a row it polls. */
const mostBreaks = 2;

export interface Following {
  follower: Follower;
  listen: Listen;
  output: Output;
  print: (run: ListedRun) => void;
  /** Only runs with this result; null for all. */
  status: RunStatus | null;
  /** Only runs of this job; null for all. */
  jobId: string | null;
  signal: AbortSignal;
}

/** Prints until the signal aborts. Throws failures that will not pass. */
export async function followEnded(following: Following): Promise<void> {
  const { output, signal } = following;
  const print = createPrinter(following);
  let breaks = 0;
  while (!signal.aborted) {
    const openedAt = performance.now();
    const failure = await followEvents(following, print, () => {
      if (breaks > 0) output.say('events come again');
    });
    if (signal.aborted) return;
    if (performance.now() - openedAt > steadyAfterMs) breaks = 0;
    breaks += 1;
    const hasEvents = failure?.code !== 'not_found';
    const why = plain(failure?.message ?? 'the event stream ended');
    if (hasEvents && breaks < mostBreaks) {
      output.say(`${why}; connecting again`);
      await pause(pauseMs, signal);
      continue;
    }
    if (!hasEvents) output.say('this server has no events; polling');
    else if (breaks === mostBreaks) output.say(`${why}; polling`);
    await poll(print, hasEvents ? pollForMs : Infinity, signal);
  }
}

/** Asks the server, about these runs or about all, and prints what ended. */
type Print = (changes?: Changes) => Promise<void>;

/** Makes what prints; outages are waited out. */
function createPrinter({ follower, output, print, status, signal }: Following): Print {
  let isLost = false;
  return async (changes) => {
    try {
      const ended = await retry(() => follower.poll(changes), {
        delayMs: passingDelayMs,
        onRetry({ message }) {
          if (!isLost) output.say(`${plain(message)}; retrying`);
          isLost = true;
        },
        signal,
      });
      if (isLost) output.say('the server answers again');
      isLost = false;
      for (const run of ended) {
        if (status === null || run.status === status) print(run);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
}

async function poll(print: Print, forMs: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + forMs;
  while (!signal.aborted && performance.now() < until) {
    await print();
    await pause(pauseMs, signal);
  }
}

/** Follows one stream to its end. Returns why it broke, undefined if the server ended it. */
async function followEvents(
  { listen, jobId, signal }: Following,
  print: Print,
  onHello: () => void,
): Promise<JobdError | undefined> {
  const stop = new AbortController();
  const news = createNews(jobId);
  const reading = (async () => {
    try {
      for await (const event of listen(AbortSignal.any([signal, stop.signal]))) {
        if (event.event === 'hello') onHello();
        news.note(event);
      }
      return undefined;
    } catch (error) {
      return error;
    } finally {
      news.close();
    }
  })();
  try {
    for (let asked = await news.next(); asked !== null; asked = await news.next()) {
      await print(asked === 'all' ? undefined : asked);
    }
  } finally {
    stop.abort();
  }
  const failure = await reading;
  if (failure === undefined || signal.aborted) return undefined;
  const isFinalFailure = !(failure instanceof JobdError) || failure.code === 'unauthenticated';
  if (isFinalFailure) throw failure;
  return failure;
}
