/** Sends what happens in a process of tests to the one that started it (lanes.ts). */

import { relative } from 'node:path';
import { inspect } from 'node:util';
import type { TestEvent } from 'node:test/reporters';
import { root } from './suites.ts';

/** What `lanes.ts` hears of a test. */
export type Heard =
  | { kind: 'began'; file: string; name: string }
  | {
      kind: 'ended';
      file: string;
      name: string;
      line: number;
      ms: number;
      /** Whether it is part of nothing. */
      isTop: boolean;
      /** Whether it only groups tests. */
      isSuite: boolean;
      /** Why it was skipped; null if it was not. */
      skipped: string | null;
      /** Why it failed; null if it did not. */
      failure: string | null;
    };

/** Node calls it with the events of its runner. It prints nothing. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') {
      tell({ kind: 'began', file: placeOf(data.file), name: data.name });
    } else if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) {
      // Of no test that runs, as far as is known (files.ts). It makes the process fail, which quotes this.
      process.stderr.write(`${data.message}\n`);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const { details, skip, name, line = 0, file, nesting } = data;
      tell({
        kind: 'ended',
        file: placeOf(file),
        name,
        line,
        ms: details.duration_ms,
        isTop: nesting === 0,
        isSuite: details.type === 'suite',
        skipped: skip === undefined ? null : String(skip),
        failure: type === 'test:fail' && !isByPart(details) ? failureText(details) : null,
      });
    }
  }
  yield '';
}

function tell(heard: Heard): void {
  process.send?.(heard);
}

function placeOf(file: string | undefined): string {
  return file === undefined ? '' : relative(root, file);
}

/** Whether it failed because a part of it did. */
function isByPart(details: object): boolean {
  const error = 'error' in details ? details.error : undefined;
  return (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed';
}

function failureText(details: object): string {
  const error = 'error' in details ? details.error : undefined;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === 'string' ? cause : inspect(cause, { depth: 6 });
}
