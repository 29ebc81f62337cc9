/** What events say of runs, gathered while the server is asked about those before them. */

import type { Event } from '../../api/events/contract.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import type { Changes } from './tail.ts';

/** Runs to ask about, or all of them. */
export type Named = Changes | 'all';

export interface News {
  note(event: Event): void;
  /** Waits until there are runs to ask about; null after the end. */
  next(): Promise<Named | null>;
  /** No event follows. */
  close(): void;
}

/** More runs than this are not remembered one by one. */
const mostNamed = 1_000;

/** Gathers the runs that changed; only those of this job if it is not null. */
export function createNews(only: string | null): News {
  let named = new Map<string, { jobId: string; status: RunStatus }>();
  let isAll = false;
  let isClosed = false;
  let arrived = Promise.withResolvers<void>();

  /** Undefined while there is nothing. */
  function take(): Named | null | undefined {
    const taken = isAll ? 'all' : named;
    if (taken !== 'all' && taken.size === 0) return isClosed ? null : undefined;
    named = new Map();
    isAll = false;
    return taken;
  }

  return {
    note(event) {
      if (event.event === 'hello' || event.event === 'resync') isAll = true;
      if (event.event === 'changed') {
        for (const { id, ...run } of event.data.runs) {
          if (only === null || only === run.jobId) named.set(id, run);
        }
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
