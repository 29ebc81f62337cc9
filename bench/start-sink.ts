/** The sink as a process of its own. */

import { startChild } from './child.ts';
import type { Child } from './child.ts';
import type { SinkSaid, SinkTold } from './sink.ts';

/** A running sink; disposing of it ends it. */
export interface RunningSink extends Child<SinkSaid, SinkTold> {
  /** As `http://127.0.0.1:PORT`. */
  origin: string;
}

const startMs = 30_000;

/** Starts it and resolves once it listens; it answers after `delayMs`. */
export async function startSink(delayMs = 0): Promise<RunningSink> {
  const child = startChild<SinkSaid, SinkTold>('sink.ts', [String(delayMs)]);
  try {
    const { port } = await child.hear('ready', startMs);
    return { ...child, origin: `http://127.0.0.1:${port}` };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}
