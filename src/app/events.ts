/**
 * Events: says to those who listen what changed in their workspace (docs/behavior.md#events-1).
 *
 * The sources are what people change (`audited`), what else use cases do, and the engine, each after its commit. Changes are
 * gathered for a moment, so that what happens together is one event; after an event a workspace rests. Nothing is kept
 * for those who do not listen: an event only says what to ask again.
 */

import type { Actor, AuditEntry } from '../domain/accounts/audit.ts';
import { effectsOf, type EndReason } from '../domain/audited.ts';
import { gatherChanges } from '../domain/changes.ts';
import type { Changed, ChangeFeed, GatheredChanges } from '../domain/changes.ts';
import { isoTime, type Clock } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';

export type StreamEvent =
  | { event: 'hello'; data: { workspaceId: string; version: string; at: string } }
  | { event: 'changed'; data: Changed }
  | { event: 'resync'; data: Record<string, never> }
  | { event: 'end'; data: { reason: EndReason } };

/** Says that anything may have changed. */
export const resync: StreamEvent = { event: 'resync', data: {} };

/** Gets the events of a stream. After `end` no other comes. */
export type Listener = (event: StreamEvent) => void;

/** An open stream. Disposing of it forgets its listener. */
export interface OpenStream extends Disposable {
  /** To be sent first. */
  readonly hello: StreamEvent;
  /** Ends it, unless it is over. */
  end(reason: EndReason): void;
}

export interface Events extends ChangeFeed {
  readonly size: number;
  /** Opens a stream. Throws `rate_limited` and `unavailable`. */
  open(owner: StreamOwner, listener: Listener): OpenStream;
  /** Publishes what people changed, and ends the streams of a key or session that was ended. */
  audited(entries: readonly AuditEntry[]): void;
  /** Ends the streams of a key or session at once. */
  endStreamsOf(actorId: string, reason: EndReason): void;
  /** Ends all streams, and opens no other. */
  close(): void;
}

export interface EventsParts {
  clock: Clock;
  version: string;
  /** The most streams of all workspaces together. */
  mostStreams: number;
}

/** Streams of one key or session. */
export const mostStreamsOfActor = 8;
/** Streams of all sessions of a key together: else one key could take the places of its whole workspace. */
export const mostStreamsOfSessions = 16;
/** Changes that follow one another this closely become one event: a short run is one, not two. */
export const gatherMs = 50;
/** A workspace has at most one event of changes in this time. */
export const restMs = 500;

/** The key or session that opens a stream, and the workspace whose events it gets. */
export interface StreamOwner {
  actor: Actor;
  /** The key that signed in the session; null for a key, and for a link. */
  keyId: string | null;
  workspaceId: string;
}

interface Stream extends StreamOwner {
  listener: Listener;
}

/** The changes of a workspace, while they are gathered or it rests. */
interface Workspace {
  /** Null if nothing changed since the last event. */
  gathered: GatheredChanges | null;
  timer: NodeJS.Timeout;
}

/** Makes the hub, without streams. */
export function createEvents({ clock, version, mostStreams }: EventsParts): Events {
  const streams = new Set<Stream>();
  /** The same by workspace; none is empty. */
  const streamsOf = new Map<string, Set<Stream>>();
  const workspaces = new Map<string, Workspace>();
  let isClosed = false;

  function add(stream: Stream): void {
    streams.add(stream);
    const same = streamsOf.get(stream.workspaceId) ?? new Set<Stream>();
    streamsOf.set(stream.workspaceId, same.add(stream));
  }

  function remove(stream: Stream): boolean {
    const same = streamsOf.get(stream.workspaceId);
    if (same?.delete(stream) && same.size === 0) streamsOf.delete(stream.workspaceId);
    return streams.delete(stream);
  }

  const count = (isMeant: (stream: Stream) => boolean): number =>
    streams.values().reduce((sum, stream) => sum + Number(isMeant(stream)), 0);

  /** A workspace has at most as many streams as it leaves free, so that every other finds one. */
  function requireRoom({ actor, keyId, workspaceId }: StreamOwner): void {
    if (isClosed) throw new JobdError('unavailable', 'jobd is stopping');
    if (count((stream) => stream.actor.id === actor.id) >= mostStreamsOfActor) {
      throw tooMany(`a ${actor.type}`, mostStreamsOfActor);
    }
    if (keyId !== null && count((stream) => stream.keyId === keyId) >= mostStreamsOfSessions) {
      throw tooMany('the sessions of a key together', mostStreamsOfSessions);
    }
    const free = mostStreams - streams.size;
    if (free > (streamsOf.get(workspaceId)?.size ?? 0)) return;
    throw new JobdError(
      'unavailable',
      'too many event streams are open on this server: ask for the lists instead, and try again later',
    );
  }

  function gatheredOf(workspaceId: string): GatheredChanges | null {
    const known = workspaces.get(workspaceId);
    if (known !== undefined) return (known.gathered ??= gatherChanges());
    if (!streamsOf.has(workspaceId)) return null;
    const gathered = gatherChanges();
    const timer = setTimeout(() => send(workspaceId), gatherMs).unref();
    workspaces.set(workspaceId, { gathered, timer });
    return gathered;
  }

  function send(workspaceId: string): void {
    const gathered = workspaces.get(workspaceId)?.gathered;
    workspaces.delete(workspaceId);
    if (!gathered) return;
    const changed = gathered.all();
    const event: StreamEvent = changed === null ? resync : { event: 'changed', data: changed };
    for (const { listener } of streamsOf.get(workspaceId) ?? []) listener(event);
    const timer = setTimeout(() => send(workspaceId), restMs).unref();
    workspaces.set(workspaceId, { gathered: null, timer });
  }

  function end(stream: Stream, reason: EndReason): void {
    if (remove(stream)) stream.listener({ event: 'end', data: { reason } });
  }

  function endAll(reason: EndReason, isMeant: (stream: Stream) => boolean): void {
    for (const stream of [...streams].filter(isMeant)) end(stream, reason);
  }

  const hub: Events = {
    get size() {
      return streams.size;
    },
    get isHeard() {
      return streams.size > 0;
    },
    publish(workspaceId, changed) {
      if (streams.size > 0) gatheredOf(workspaceId)?.add(changed);
    },
    publishAll() {
      for (const workspaceId of streamsOf.keys()) gatheredOf(workspaceId)?.add(null);
    },
    open({ actor, keyId, workspaceId }, listener) {
      const stream = { actor, keyId, workspaceId, listener };
      requireRoom(stream);
      add(stream);
      const about = { workspaceId, version, at: isoTime(clock.now()) };
      return {
        hello: { event: 'hello', data: about },
        end: (reason) => end(stream, reason),
        [Symbol.dispose]: () => void remove(stream),
      };
    },
    audited(entries) {
      const { changes, ended } = effectsOf(entries);
      for (const { actorId, reason } of ended) hub.endStreamsOf(actorId, reason);
      for (const change of changes) hub.publish(...change);
    },
    endStreamsOf: (actorId, reason) => endAll(reason, ({ actor }) => actor.id === actorId),
    close() {
      isClosed = true;
      endAll('unavailable', () => true);
      for (const { timer } of workspaces.values()) clearTimeout(timer);
      workspaces.clear();
    },
  };
  return hub;
}

function tooMany(who: string, most: number): JobdError {
  return new JobdError(
    'rate_limited',
    `${who} may have ${most} event streams open: close one of them`,
    { retryAfterSeconds: 60 },
  );
}
