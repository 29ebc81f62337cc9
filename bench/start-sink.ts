/** The sink as a process of its own. */

import { startChild } from './child.ts';
import type { Child } from './child.ts';
import type { SinkOptions, SinkSaid, SinkTold } from './sink.ts';

/** A running sink; disposing of it ends it. */
export interface RunningSink extends Child<SinkSaid, SinkTold> {
  /** As `http://127.0.0.1:PORT`, or `https:`. */
  origin: string;
}

const startMs = 30_000;

/** Starts it and resolves once it listens. */
export async function startSink(
  options: SinkOptions = { delayMs: 0, tls: null },
): Promise<RunningSink> {
  const child = startChild<SinkSaid, SinkTold>('sink.ts', [JSON.stringify(options)]);
  try {
    const { port } = await child.hear('ready', startMs);
    const scheme = options.tls === null ? 'http' : 'https';
    return { ...child, origin: `${scheme}://127.0.0.1:${port}` };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}
