/** Lists of the API, page by page: the pages that somebody has opened stay, and what changed in them is asked again. */

import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { nameOf, type Row } from '../view/rows.ts';
import type { Failure } from './api.ts';
import { askForViewer, recall, remember, type Concern } from './resource.ts';
import { onChange, type Change } from './live.ts';
import { createPace } from './pace.ts';

/** One page of a list. */
interface Part<T> {
  cursor: string | null;
  rows: T[];
  next: string | null;
}

/** A list, as far as somebody has opened it. */
export interface Pages<T> {
  /** All rows in order; null before the first answer. */
  rows: ReadonlySignal<T[] | null>;
  hasMore: ReadonlySignal<boolean>;
  isBusy: ReadonlySignal<boolean>;
  failure: ReadonlySignal<Failure | null>;
  /** The answer with the first page: what it says besides of the whole. */
  whole: ReadonlySignal<unknown>;
  /** Asks for the next page. */
  more: () => Promise<void>;
  /** Asks for everything that is shown, now. */
  reload: () => Promise<void>;
}

/** More are not asked again for one change: those further down are when somebody comes back. */
const mostAgain = 5;

/**
 * Keeps the list at `path` (with a `?`), whose rows are under `name` in the answer. `touches` says whether a change
 * concerns a row. With `null` as path nothing is asked.
 */
export function usePages<T extends Row>(
  path: string | null,
  name: string,
  concern: Concern,
  touches: (row: T, change: Change) => boolean,
): Pages<T> {
  // oxlint-disable react-hooks/exhaustive-deps -- the path says all: the rest is fixed where it is called
  const list = useMemo(() => new List<T>(path, name), [path]);
  useEffect(() => list.follow(concern, touches), [list]);
  // oxlint-enable react-hooks/exhaustive-deps
  return list;
}

class List<T extends Row> implements Pages<T> {
  readonly #path: string | null;
  readonly #name: string;
  readonly #parts = signal<Part<T>[] | null>(null);
  #isFollowed = false;
  /** Parts to ask again; null: all. */
  #stale: Set<number> | null = null;
  readonly #pace = createPace(() => this.#askAgain());
  readonly rows = computed(() => distinct(this.#parts.value));
  readonly hasMore = computed(() => (this.#parts.value?.at(-1)?.next ?? null) !== null);
  readonly isBusy = signal(false);
  readonly failure = signal<Failure | null>(null);
  readonly whole = signal<unknown>(null);

  constructor(path: string | null, name: string) {
    this.#path = path;
    this.#name = name;
    if (path !== null) this.#parts.value = (recall(path) as Part<T>[] | undefined) ?? null;
  }

  follow(concern: Concern, touches: (row: T, change: Change) => boolean): () => void {
    if (this.#path === null) return () => {};
    this.#isFollowed = true;
    void this.reload();
    const unfollow = onChange((change) => {
      if (change === null) this.#stale = null;
      else if (concern(change)) this.#note(change, touches);
      else return;
      this.#pace.ask();
    });
    return () => {
      this.#isFollowed = false;
      unfollow();
      this.#pace.stop();
    };
  }

  more = async (): Promise<void> => {
    const cursor = this.#parts.value?.at(-1)?.next;
    if (cursor === undefined || cursor === null || this.isBusy.value) return;
    this.isBusy.value = true;
    const part = await this.#askPart(cursor);
    this.isBusy.value = false;
    // Meanwhile the list may have been asked again, and end elsewhere.
    if (part !== null && this.#parts.value?.at(-1)?.next === cursor) {
      this.#show([...this.#parts.value, part]);
    }
  };

  reload = async (): Promise<void> => {
    this.#stale = null;
    await this.#askAgain();
  };

  #note(change: Change, touches: (row: T, change: Change) => boolean): void {
    if (this.#stale === null) return;
    this.#stale.add(0);
    for (const [index, { rows }] of (this.#parts.value ?? []).entries()) {
      if (rows.some((row) => touches(row, change))) this.#stale.add(index);
    }
  }

  async #askAgain(): Promise<void> {
    const stale = this.#stale ?? new Set((this.#parts.value ?? [null]).keys());
    this.#stale = new Set();
    for (let asked = 0; asked < mostAgain && stale.size > 0; asked += 1) {
      const index = Math.min(...stale);
      stale.delete(index);
      const part = await this.#askPart(this.#parts.value?.[index]?.cursor ?? null);
      if (part === null) {
        this.#stale = null;
        return;
      }
      const parts = this.#parts.value ?? [];
      part.rows = unchanged(parts[index]?.rows ?? [], part.rows);
      const after = parts[index + 1];
      // Rows came or went: the page after this one begins elsewhere now.
      if (after !== undefined && after.cursor !== part.next) {
        if (part.next === null) parts.length = index + 1;
        else {
          parts[index + 1] = { ...after, cursor: part.next };
          stale.add(index + 1);
        }
      }
      this.#show(parts.length === 0 ? [part] : parts.with(index, part));
    }
    if (stale.size > 0 && this.#isFollowed) {
      this.#stale = stale;
      this.#pace.ask();
    }
  }

  async #askPart(cursor: string | null): Promise<Part<T> | null> {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const body = await askForViewer<Record<string, unknown>>(`${this.#path}${after}`, {
      failure: this.failure,
      pace: this.#pace,
      isShown: () => this.#isFollowed,
    });
    if (body === null) return null;
    if (cursor === null) this.whole.value = body;
    return { cursor, rows: body[this.#name] as T[], next: body['nextCursor'] as string | null };
  }

  #show(parts: Part<T>[]): void {
    this.#parts.value = parts;
    if (this.#path !== null) remember(this.#path, parts);
  }
}

/** A row that moved while the pages were read may be in two of them. */
function distinct<T extends Row>(parts: Part<T>[] | null): T[] | null {
  if (parts === null) return null;
  const byName = new Map(parts.flatMap(({ rows }) => rows).map((row) => [nameOf(row), row]));
  return [...byName.values()];
}

/** The new rows; one that is as it was is the same object, so that nobody draws it again. */
function unchanged<T extends Row>(before: T[], after: T[]): T[] {
  const known = new Map(before.map((row) => [nameOf(row), row]));
  return after.map((row) => {
    const old = known.get(nameOf(row));
    return old !== undefined && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
}
