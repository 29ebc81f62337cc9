/** What events say of ended runs, gathered while the server is asked about those before them. */

import type { Event } from '../../api/events/contract.ts';
import { isFinal } from '../../domain/runs/run.ts';

/** Jobs to ask about, or all of them. */
export type Named = ReadonlySet<string> | 'all';

export interface News {
  note(event: Event): void;
  /** Waits until there are jobs to ask about; null after the end. */
  next(): Promise<Named | null>;
  /** No event follows. */
  close(): void;
}

/** More jobs than this are not remembered by name. */
const mostNamed = 1_000;

/** Gathers the jobs whose runs ended; only this one if it is not null. */
export function createNews(only: string | null): News {
  let named = new Set<string>();
  let isAll = false;
  let isClosed = false;
  let arrived = Promise.withResolvers<void>();

  /** Undefined while there is nothing. */
  function take(): Named | null | undefined {
    const taken = isAll ? 'all' : named;
    if (taken !== 'all' && taken.size === 0) return isClosed ? null : undefined;
    named = new Set();
    isAll = false;
    return taken;
  }

  return {
    note(event) {
      if (event.event === 'hello' || event.event === 'resync') isAll = true;
      if (event.event === 'changed') {
        const ended = event.data.runs.filter(({ status }) => isFinal(status));
        for (const { jobId } of ended) if (only === null || only === jobId) named.add(jobId);
        if (named.size > mostNamed) isAll = true;
      }
      arrived.resolve();
    },
    async next() {
      for (;;) {
        const taken = take();
        if (taken !== undefined) return taken;
        await arrived.promise;
        arrived = Promise.withResolvers();
      }
    },
    close() {
      isClosed = true;
      arrived.resolve();
    },
  };
}
