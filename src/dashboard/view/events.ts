/** Reads a stream of server-sent events, as far as jobd writes them: a name, one line of data, comments. */

import type { Event } from '../../api/events/contract.ts';

/** The events of a body, one by one. `onBytes` is called whenever anything arrives, also a comment. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<Event> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readBlock(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    // Of a stream that broke there is nothing left to end.
    reader.cancel().catch(() => {});
  }
}

function readBlock(block: string): Event | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
  const event = fields.get('event');
  const data = fields.get('data');
  return event === undefined || data === undefined
    ? null
    : ({ event, data: JSON.parse(data) } as Event);
}
