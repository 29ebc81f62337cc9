/** Windows: what people ask about times in which nobody is alerted (docs/behavior.md#window-1). */

import { requirePaid } from '../../app/accounts/account-limits.ts';
import type { ChangesApp, Principal, Wakes } from '../../app/app.ts';
import { changeBy, type NoteChange } from '../../app/change.ts';
import { requireServed } from '../../app/alerts/channels.ts';
import { makeOnce } from '../../app/make-once.ts';
import { idPage, type NamedRequest, type Page } from '../../app/page.ts';
import { isoTime, isoTimeOrNull, msPerDay } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import { coveredUntil, periodAfter, periodAt, type Window } from '../../domain/windows.ts';
import { keepWindows, listWindows } from '../../store/accounts/windows.ts';
import type { Db } from '../../store/database/store.ts';
import { windowFields, type WindowInput, type WindowUpdate } from './fields.ts';
import { changeWindow, defineWindow } from './rules.ts';

type WindowsApp = ChangesApp & Wakes;

/** Windows of a workspace that are not over. */
export const mostWindows = 100;
/** As many that are over are kept, for so long. */
const keptMs = 30 * msPerDay;

/** A window as people see it. */
export interface ShownWindow extends Window {
  state: 'to_come' | 'on' | 'over';
  /** When it ends, if it is on; with periods that follow without a gap. */
  onUntil: string | null;
  /** When it begins next. */
  nextFrom: string | null;
}

/** Creates a window. Throws `invalid_input`, `payment_required`, and `forbidden` if the workspace has too many. */
export async function createWindow(
  app: WindowsApp,
  principal: Principal,
  input: WindowInput,
  repeatable: Repeatable | null,
): Promise<ShownWindow> {
  const now = app.clock.now();
  const window = defineWindow(input, newId(now), now);
  const { workspaceId } = principal;
  const made = await makeOnce(app, principal, {
    id: window.id,
    repeatable,
    async make(tx, note) {
      await requirePaid(tx, principal, now);
      await requireServed(tx, { workspaceId, ...window }, null);
      const kept = await listWindows(tx, workspaceId);
      requireRoom([...kept, window], now);
      await keepWindows(tx, workspaceId, [...withoutOld(kept, now), window], now);
      note({ action: 'window.create', subject: window });
      return window;
    },
    find: (tx, id) => requireWindow(tx, principal, id),
  });
  app.wake('notify');
  return shown(made, now);
}

/** Throws `forbidden` if more windows count than may. */
function requireRoom(windows: readonly Window[], now: number): void {
  const counting = windows.filter((one) => periodAfter(one, now) !== null);
  if (counting.length > mostWindows)
    throw new JobdError('forbidden', `a workspace may have ${mostWindows} windows`);
}

function withoutOld(windows: readonly Window[], now: number): Window[] {
  const isOver = (window: Window): boolean => periodAfter(window, now) === null;
  const over = windows.filter((one) => isOver(one) && periodAfter(one, now - keptMs) !== null);
  const kept = new Set(over.slice(1 - mostWindows));
  return windows.filter((one) => !isOver(one) || kept.has(one));
}

/** A page of the windows of a workspace, newest first. */
export async function pageOfWindows(
  { store, clock }: WindowsApp,
  { workspaceId }: Principal,
  request: NamedRequest,
): Promise<Page<ShownWindow>> {
  const all = await listWindows(store.db, workspaceId);
  const { items, nextCursor } = await idPage('windows', request, async (page) => {
    const { name, idPrefix, before, limit } = page;
    const isAsked = (one: Window): boolean =>
      (name === null || one.name === name) &&
      one.id.startsWith(idPrefix ?? '') &&
      (before === null || one.id < before);
    return all
      .filter(isAsked)
      .toSorted((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, limit);
  });
  const now = clock.now();
  return { items: items.map((window) => shown(window, now)), nextCursor };
}

/** A window of the workspace. Throws `not_found`. */
export async function getWindow(
  { store, clock }: WindowsApp,
  principal: Principal,
  id: string,
): Promise<ShownWindow> {
  return shown(await requireWindow(store.db, principal, id), clock.now());
}

/** Changes the given fields of a window. Throws `not_found`, `invalid_input`, `payment_required`, and `forbidden` if it is over and there are too many. */
export async function updateWindow(
  app: WindowsApp,
  principal: Principal,
  id: string,
  update: WindowUpdate,
): Promise<ShownWindow> {
  return await change(app, principal, id, async (tx, before, note) => {
    const now = app.clock.now();
    await requirePaid(tx, principal, now);
    const after = changeWindow(before, update, now);
    const { workspaceId } = principal;
    const isCounted = (one: Window): boolean => periodAfter(one, now) !== null;
    if (isCounted(after) && !isCounted(before)) {
      const others = (await listWindows(tx, workspaceId)).filter(({ id: of }) => of !== before.id);
      requireRoom([...others, after], now);
    }
    await requireServed(tx, { workspaceId, ...after }, before);
    const names = Object.keys(windowFields) as (keyof typeof windowFields)[];
    const fields = names.filter((name) => textOf(before, name) !== textOf(after, name));
    note({ action: 'window.update', subject: after, fields });
    return after;
  });
}

function textOf(window: Window, name: keyof Window): string {
  return JSON.stringify(window[name]);
}

/** Ends the period that a window is in. One that recurs begins again at its next time. Throws `not_found`, and `conflict` if it is not on. */
export async function endWindow(
  app: WindowsApp,
  principal: Principal,
  id: string,
): Promise<ShownWindow> {
  return await change(app, principal, id, async (_, before, note) => {
    const now = app.clock.now();
    if (periodAt(before, now) === null) {
      throw new JobdError(
        'conflict',
        `the window ${before.name} is not on: to keep it from beginning, delete it`,
      );
    }
    note({ action: 'window.end', subject: before });
    return { ...before, endedAt: isoTime(now) };
  });
}

/** Deletes a window, and so ends it. Throws `not_found`. */
export async function deleteWindow(
  app: WindowsApp,
  principal: Principal,
  id: string,
): Promise<void> {
  await change(app, principal, id, async (_, before, note) => {
    note({ action: 'window.delete', subject: before });
    return null;
  });
}

/** Puts another window, or none, in the place of one. */
async function change<After extends Window | null>(
  app: WindowsApp,
  principal: Principal,
  id: string,
  decide: (tx: Db, before: Window, note: NoteChange) => Promise<After>,
): Promise<After extends Window ? ShownWindow : null> {
  const { workspaceId } = principal;
  const after = await changeBy(app, principal, async (tx, note) => {
    const before = await requireWindow(tx, principal, id);
    const changed = await decide(tx, before, note);
    const all = await listWindows(tx, workspaceId);
    const kept = all.flatMap((one) => (one.id === before.id ? (changed ?? []) : one));
    await keepWindows(tx, workspaceId, kept, app.clock.now());
    return changed;
  });
  app.wake('notify');
  const answer = after && shown(after, app.clock.now());
  return answer as After extends Window ? ShownWindow : null;
}

async function requireWindow(db: Db, { workspaceId }: Principal, id: string): Promise<Window> {
  const all = await listWindows(db, workspaceId);
  const window = all.find((one) => one.id === id.toLowerCase());
  if (window !== undefined) return window;
  throw new JobdError('not_found', `there is no window with id ${id}`);
}

function shown(window: Window, now: number): ShownWindow {
  const period = periodAfter(window, now);
  const until = coveredUntil([window], now);
  const next = periodAfter(window, until ?? now);
  const state = period === null ? 'over' : period.from <= now ? 'on' : 'to_come';
  return {
    ...window,
    state,
    onUntil: isoTimeOrNull(until),
    nextFrom: isoTimeOrNull(next && next.from),
  };
}
