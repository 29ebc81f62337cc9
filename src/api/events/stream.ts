/**
 * An answer that does not end: server-sent events (HTML standard, section 9.2). A client that reads slowly makes nothing queue
 * up here: while an event is not taken, the events after it are dropped, and one `resync` follows instead.
 */

import type { ServerResponse } from 'node:http';
import { resync, type StreamEvent } from '../../app/events.ts';

/** Proxies and clients hear this often that the stream is alive. Below every usual idle timeout, ours of 60 s too. */
export const commentEveryMs = 20_000;
/** How long a client may take to read the last event. A stop waits for it. */
const lastWordMs = 1_000;

/** Writes events to a response whose head is written. */
export interface EventWriter {
  send(event: StreamEvent): void;
  /** Writes a comment, which clients ignore. */
  comment(): void;
}

/** Makes a writer. After `end` it closes the connection. */
export function createEventWriter(response: ServerResponse): EventWriter {
  let isUntaken = false;
  let isDropping = false;
  let lastWord: string | undefined;

  function write(text: string): void {
    isUntaken = true;
    response.write(text, onTaken);
  }

  function onTaken(error?: Error | null): void {
    isUntaken = false;
    if (error) return;
    if (lastWord !== undefined) response.end(lastWord);
    else if (isDropping) {
      isDropping = false;
      write(textOf(resync));
    }
  }

  function end(text: string): void {
    if (lastWord !== undefined) return;
    lastWord = text;
    const timer = setTimeout(() => response.destroy(), lastWordMs);
    response.once('close', () => clearTimeout(timer));
    if (!isUntaken) response.end(text);
  }

  return {
    send(event) {
      if (event.event === 'end') end(textOf(event));
      else if (lastWord === undefined && isUntaken) isDropping = true;
      else if (lastWord === undefined) write(textOf(event));
    },
    comment() {
      if (!isUntaken && lastWord === undefined) write(':\n\n');
    },
  };
}

/** An event goes to many streams: its text is made once. */
const texts = new WeakMap<StreamEvent, string>();

/** The event on the wire. JSON has no line break that could end the line. */
function textOf(event: StreamEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = `event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
  texts.set(event, text);
  return text;
}
