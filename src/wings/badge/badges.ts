/** Badges: what people ask about them, and what they show (docs/behavior.md#badge-1). */

import { setImmediate } from 'node:timers/promises';
import { newSecret, sha256Of } from '../../app/accounts/secrets.ts';
import { requirePaid } from '../../app/accounts/account-limits.ts';
import type { ChangesApp, Ground, Principal } from '../../app/app.ts';
import { changeBy } from '../../app/change.ts';
import { makeOnce } from '../../app/make-once.ts';
import { idPage, type Page, type PageRequest } from '../../app/page.ts';
import { labelledPerStep } from '../../app/steps.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { brokenRule, nameRule } from '../../domain/fields.ts';
import { newId } from '../../domain/id.ts';
import { readSelector } from '../../domain/labels.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import type { Db } from '../../store/database/store.ts';
import { countStates, insertBadge, listBadges, removeBadge, type Badge } from './query.ts';
import type { Counts } from './state.ts';

/** Badges of a workspace. */
export const mostBadges = 20;
/** Rows that are counted at once where labels do not matter. */
const countedAtOnce = 5_000;

/** Creates a badge. Its token is kept nowhere. Throws `invalid_input`, `payment_required`, `forbidden` and `conflict`. */
export async function createBadge(
  app: ChangesApp,
  principal: Principal,
  { name, selector = null }: { name: string; selector?: string | null },
  repeatable: Repeatable | null,
): Promise<{ badge: Badge; token: string }> {
  const problem = brokenRule(nameRule, name);
  if (problem !== undefined) throw invalidInput(`name ${problem}`);
  if (selector !== null) readSelector(selector);
  const now = app.clock.now();
  const { workspaceId } = principal;
  const badge = { id: newId(now), workspaceId, name, selector, createdAt: now };
  const token = `cpb_${newSecret(16)}`;
  return await makeOnce(app, principal, {
    id: badge.id,
    repeatable,
    async make(tx, note) {
      await requirePaid(tx, principal, now);
      const others = await listBadges(tx, workspaceId, { before: null, limit: mostBadges });
      if (others.length === mostBadges) {
        const rule = `a workspace may have ${mostBadges} badges: delete one first`;
        throw new JobdError('forbidden', rule);
      }
      await insertBadge(tx, badge, sha256Of(token));
      note({ action: 'badge.create', subject: badge });
      return { badge, token };
    },
    async find(_, id) {
      throw new JobdError(
        'conflict',
        `this request has made badge ${id}, whose address was in that answer alone: delete it, and make another one with a new Idempotency-Key`,
      );
    },
  });
}

/** A page of the badges of a workspace, newest first. */
export async function pageOfBadges(
  { store }: Ground,
  { workspaceId }: Principal,
  request: PageRequest,
): Promise<Page<Badge>> {
  return await idPage('badges', request, (page) => listBadges(store.db, workspaceId, page));
}

/** Deletes a badge. Throws `not_found`. */
export async function deleteBadge(
  app: ChangesApp,
  principal: Principal,
  id: string,
): Promise<void> {
  await changeBy(app, principal, async (tx, note) => {
    const badge = await removeBadge(tx, principal.workspaceId, id.toLowerCase());
    if (badge === undefined) throw new JobdError('not_found', `there is no badge with id ${id}`);
    note({ action: 'badge.delete', subject: badge });
  });
}

/** Counts what a badge shows, in steps. */
export async function countOf(
  db: Db,
  { workspaceId, selector: text }: Pick<Badge, 'workspaceId' | 'selector'>,
): Promise<Counts> {
  const counts = { up: 0, down: 0, new: 0, paused: 0 };
  const selector = text === null ? null : readSelector(text);
  const rows = selector === null ? countedAtOnce : labelledPerStep;
  for (const table of ['jobs', 'monitors'] as const) {
    for (let afterId = '', read = rows; read === rows; await setImmediate()) {
      read = 0;
      for (const part of await countStates(db, table, workspaceId, { selector, afterId, rows })) {
        if (part.state !== null) counts[part.state] += part.count;
        read += part.count;
        if (part.lastId > afterId) afterId = part.lastId;
      }
    }
  }
  return counts;
}
