import type { KeptAuditEntry } from '../../domain/accounts/audit.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { listAuditEntries } from '../../store/accounts/audit.ts';
import type { Ground, Principal } from '../app.ts';
import { idCursor, parseNumberCursor, partialPageOf } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { inSteps } from '../steps.ts';

/** The entries that a person asks for; null for all. */
export interface AuditFilter {
  /** The id of a job, monitor, channel, key, session, workspace or account. */
  subject: string | null;
  /** The id of a key or session, or the user of a command. */
  actor: string | null;
  /** An action, or the type of its subject. */
  action: string | null;
}

/** The most entries that a request reads. */
const mostRead = 2_000;
/** Where a filter may leave out most of what is read. */
const readAtOnce = 500;

/** The workspace's entries, newest first. Throws `invalid_input` for a subject that is no id, and for a cursor of another list. */
export async function listAudit(
  { store }: Pick<Ground, 'store'>,
  { workspaceId }: Principal,
  { subject, actor, action }: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<PartialPage<KeptAuditEntry>> {
  if (subject !== null && !isId(subject))
    throw invalidInput(`subject must be an id, ${got(subject)}`);
  const list = `audit ${workspaceId}`;
  const isWanted = (entry: KeptAuditEntry): boolean =>
    (actor === null || entry.actor.id === actor) &&
    (action === null || `${entry.action}.`.startsWith(`${action}.`));
  const after = cursor === null ? null : { number: parseNumberCursor(list, cursor) };
  const rows = actor === null && action === null ? limit + 1 : readAtOnce;
  const { found, stop } = await inSteps<KeptAuditEntry, AuditPlace>(
    { steps: mostRead / rows, after, count: limit + 1 },
    async (from) => {
      const page = { subjectId: subject, before: from?.number ?? null, limit: rows };
      const read = await listAuditEntries(store.db, workspaceId, page);
      return { found: read.filter(isWanted), stop: read.length < rows ? undefined : read.at(-1) };
    },
  );
  return partialPageOf(found, limit, stop, ({ number }) => idCursor(list, number));
}

type AuditPlace = Pick<KeptAuditEntry, 'number'>;
