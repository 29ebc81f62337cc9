/** Answers of the API that are kept while somebody looks at them, and asked again when what they show has changed. */

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { onChange, type Change } from './live.ts';
import { viewer } from './session.ts';
import type { Kind } from '../view/places.ts';
import { createPace, type Pace } from './pace.ts';
import { ask, type Failure } from './api.ts';

/** Whether an answer may be another after this change. */
export type Concern = (change: Change) => boolean;

/** An answer, as far as it is known. */
export interface Resource<T> {
  /** The last answer; null before the first. */
  body: Signal<T | null>;
  /** Why there is no newer one; null if there is nothing to say. */
  failure: Signal<Failure | null>;
  /** Asks again now. */
  reload: () => Promise<void>;
  /** Asks again at the pace of changes, unless nobody looks or wants changes. */
  reloadSoon: () => void;
}

/** A change of one of them; of a job, also of a run of it. */
export function ofOne(kind: Kind, id: string): Concern {
  return (change) =>
    change[`${kind}s`].includes(id) ||
    (kind === 'job' && change.runs.some(({ jobId }) => jobId === id));
}
/** A change of any of them; of jobs, also of their runs. */
export function ofAll(kind: Kind): Concern {
  return (change) => change[`${kind}s`].length > 0 || (kind === 'job' && change.runs.length > 0);
}
export const ofAnything: Concern = () => true;
/** What no event tells of: it is asked once, and after a gap in the stream. */
export const ofNothing: Concern = () => false;

/** Answers that were shown lately, so that Back shows its page at once. */
const recent = new Map<string, unknown>();
const mostRecent = 40;

/** Keeps the answer to `GET path` while its component is shown; null asks nothing. Who shows the same shares one. */
export function useResource<T>(path: string | null, concern: Concern): Resource<T> {
  const loader = useMemo(() => loaderOf<T>(path), [path]);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the path says all: the concern is fixed where it is called
  useEffect(() => loader.follow(concern), [loader]);
  return loader;
}

/** Remembers what is shown under a name, for Back. */
export function remember(name: string, what: unknown): void {
  recent.delete(name);
  recent.set(name, what);
  const [oldest] = recent.keys();
  if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
}

/** What was remembered; undefined if it was not, or too long ago. */
export function recall(name: string): unknown {
  return recent.get(name);
}

/** The answers that somebody looks at now. */
const shown = new Map<string, Loader<unknown>>();

// Somebody else looks now.
viewer.subscribe(() => {
  recent.clear();
  shown.clear();
});

function loaderOf<T>(path: string | null): Loader<T> {
  if (path === null) return new Loader<T>(null);
  const known = shown.get(path) ?? new Loader<unknown>(path);
  shown.set(path, known);
  return known as Loader<T>;
}

class Loader<T> implements Resource<T> {
  readonly #path: string | null;
  readonly #pace = createPace(() => this.reload());
  readonly #concerns = new Set<{ concern: Concern }>();
  #unfollow = (): void => {};
  readonly body: Signal<T | null>;
  readonly failure = signal<Failure | null>(null);

  constructor(path: string | null) {
    this.#path = path;
    this.body = signal(path === null ? null : ((recall(path) as T | undefined) ?? null));
  }

  follow(concern: Concern): () => void {
    const path = this.#path;
    if (path === null) return () => {};
    const mine = { concern };
    this.#concerns.add(mine);
    if (this.#concerns.size === 1) this.#begin();
    return () => {
      this.#concerns.delete(mine);
      if (this.#concerns.size > 0) return;
      if (shown.get(path) === this) shown.delete(path);
      this.#unfollow();
      this.#pace.stop();
    };
  }

  #begin(): void {
    if (this.#path !== null) shown.set(this.#path, this);
    void this.reload();
    this.#unfollow = onChange((change) => {
      const isMine = (what: Change): boolean =>
        this.#concerns.values().some(({ concern }) => concern(what));
      if (change === null || isMine(change)) this.#pace.ask();
    });
  }

  reload = async (): Promise<void> => {
    if (this.#path === null) return;
    const body = await askForViewer<T>(this.#path, {
      failure: this.failure,
      pace: this.#pace,
      isShown: () => this.#concerns.size > 0,
    });
    if (body === null) return;
    this.body.value = body;
    remember(this.#path, body);
  };

  reloadSoon = (): void => this.#pace.askUnlessResting();
}

/** Who waits for answers. */
interface Asker {
  /** Why there is no newer answer; null if there is nothing to say. */
  failure: Signal<Failure | null>;
  /** Asks again after a failure. */
  pace: Pace;
  /** Whether somebody still looks at the answers. */
  isShown: () => boolean;
}

/** The answer to `GET path`; null if there is none, which the asker notes, or if somebody else looks now. */
export async function askForViewer<T>(
  path: string,
  { failure, pace, isShown }: Asker,
): Promise<T | null> {
  const before = viewer.peek();
  const answer = await ask<T>('GET', path);
  if (viewer.peek() !== before) return null;
  if (answer.ok) {
    failure.value = null;
    return answer.body;
  }
  if (answer.status !== 401) failure.value = answer;
  if (isShown()) pace.failed(answer);
  return null;
}
