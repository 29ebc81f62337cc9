/**
 * The way out in as many threads as handshakes ask for: each takes 1 to 2 ms of CPU, so one thread is busy with 700
 * a second. A host has one thread, which keeps its connections, its TLS sessions and what its name resolves to:
 * what holds for a host holds as if there were no other. Calls without TLS cost too little to need a second one.
 */
import { availableParallelism } from 'node:os';
import { closed, type Egress } from './egress.ts';
import { createRecent } from './recent.ts';
import { mostIdle } from './pool.ts';
import { createThreadStarter, type ThreadOptions } from './threaded.ts';

/** A thread with so many calls under way is busy for long enough to start another beside it. */
const callsThatPress = 32;
/** Each is some 27 MB, and all of them are handed their calls by one. */
const mostThreads = 4;
/** Hosts whose thread is known. One not called while so many others were has no connection left to speak of. */
const maxKnownHosts = 20_000;

/** What is needed beside the options of a thread. */
export interface Threads {
  most: number;
  start: (options: ThreadOptions) => Egress;
}

interface Thread {
  egress: Egress;
  /** Calls with TLS that are under way. */
  calls: number;
}

/** Starts a thread when the first call is near, and others when it is pressed: as many as there are cores, 4 at most. */
export function startEgressThreads(
  options: ThreadOptions,
  { most, start }: Threads = {
    most: Math.min(availableParallelism(), mostThreads),
    start: createThreadStarter(),
  },
): Egress {
  const { idleConnections: idleInAll = Infinity } = options;
  const threads: Thread[] = [];
  let isClosed = false;
  /** By origin. */
  const threadOf = createRecent<Thread>(maxKnownHosts);

  function startThread(): Thread {
    if (isClosed) throw closed();
    const idleConnections = Math.min(Math.floor(idleInAll / most), mostIdle);
    const thread = { egress: start({ ...options, idleConnections }), calls: 0 };
    threads.push(thread);
    return thread;
  }

  function first(): Thread {
    return threads[0] ?? startThread();
  }

  function threadFor(url: string): Thread {
    const origin = URL.parse(url)?.origin ?? '';
    const thread = threadOf.get(origin) ?? leastBusy();
    threadOf.set(origin, thread);
    return thread;
  }

  function leastBusy(): Thread {
    const least = threads.reduce((one, other) => (other.calls < one.calls ? other : one), first());
    if (least.calls < callsThatPress || threads.length >= most) return least;
    try {
      return startThread();
    } catch {
      // No room for another thread (a limit of processes, say): the ones that are there do the work.
      return least;
    }
  }

  const callWithTls: Egress['call'] = async (call, signal) => {
    const thread = threadFor(call.url);
    thread.calls++;
    try {
      return await thread.egress.call(call, signal);
    } finally {
      thread.calls--;
    }
  };

  return {
    async call(call, signal) {
      return await (/^https:/i.test(call.url)
        ? callWithTls(call, signal)
        : first().egress.call(call, signal));
    },

    prepare: () => void first(),

    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(threads.map(({ egress }) => egress[Symbol.asyncDispose]()));
    },
  };
}
