/** Who changed what: the audit trail of the workspace, newest first. */

import type { AuditEntry } from '../../api/accounts/contract.ts';
import { now } from '../client/clock.ts';
import { useHeldRows, useHold } from '../client/hold.ts';
import { usePages } from '../client/pages.ts';
import type { Concern } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Link } from '../parts/link.tsx';
import { Outside } from '../parts/outside.tsx';
import { Problem } from '../parts/problem.tsx';
import { query } from '../router.ts';
import { auditPath, auditSubjects } from '../view/audit.ts';
import { byDay } from '../view/grouped.ts';
import { AuditRow } from './audit-row.tsx';

/** Runs change too often, and few of them are in the trail. Sign-ins and keys have no event. */
const ofChanges: Concern = ({ jobs, monitors, channels }) =>
  jobs.length + monitors.length + channels.length > 0;

/** The page. */
export function AuditPage() {
  if (mayWrite.value) return <Trail />;
  return (
    <section class="empty">
      <Heading title="Audit" />
      <p>
        You are signed in with a key that may only read. The audit trail needs one that may write,
        because it has names and addresses of others.
      </p>
    </section>
  );
}

function Trail() {
  const path = auditPath(query.value);
  const list = usePages<AuditEntry>(path, 'entries', ofChanges, () => false);
  const hold = useHold();
  const entries = (list.rows.value ?? []).map((entry) =>
    Object.assign({ id: String(entry.number) }, entry),
  );
  const shown = useHeldRows(entries, hold, path);
  const { failure, hasMore, isBusy, more } = list;
  const isEmpty = list.rows.value?.length === 0;
  const chosen = query.value.get('action');
  const filters = [
    { value: null, word: 'all' },
    ...Object.entries(auditSubjects).map(([value, word]) => ({ value, word })),
    ...(chosen?.includes('.') === true ? [{ value: chosen, word: chosen }] : []),
  ];
  return (
    <>
      <div class="head">
        <Heading title="Audit" />
      </div>
      <Filters
        label="Changes by what was changed"
        name="action"
        chosen={chosen}
        filters={filters}
      />
      <Only entry={shown.rows[0]} />
      {failure.value !== null && list.rows.value === null && <Problem text={failure.value.error} />}
      {list.rows.value === null && failure.value === null && (
        <p class="waiting">Waiting for jobd…</p>
      )}
      {isEmpty && !hasMore.value && <p class="none">No change found.</p>}
      {isEmpty && hasMore.value && <p class="none">Nothing found yet.</p>}
      <div class="days-of-rows" {...hold.props}>
        {byDay(shown.rows, ({ at }) => at, now.peek()).map(({ date, title, rows }) => (
          <section key={date}>
            <h2 id={`day-${date}`}>{title}</h2>
            <ol class="rows" aria-labelledby={`day-${date}`}>
              {rows.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ol>
          </section>
        ))}
        <HeldNote waiting={shown.waiting} onShow={hold.release} />
      </div>
      {hasMore.value && (
        <p class="more">
          <button type="button" disabled={isBusy.value} onClick={() => void more()}>
            {isEmpty ? 'Search on' : 'Show more'}
          </button>
        </p>
      )}
    </>
  );
}

/** What the address limits the list to, with a way back. */
function Only({ entry }: { entry: AuditEntry | undefined }) {
  const subject = query.value.get('subject');
  const actor = query.value.get('actor');
  if (subject === null && actor === null) return null;
  const { name, id } = entry?.actor ?? { name: '', id: '' };
  return (
    <p>
      Only changes
      {actor !== null && (
        <>
          {' '}
          by <Outside text={id === actor && name !== '' ? name : actor} />
        </>
      )}
      {subject !== null && (
        <>
          {' '}
          to <Outside text={entry?.subject.id === subject ? entry.subject.name : subject} />
        </>
      )}
      . <Link to="/audit">All changes</Link>
    </p>
  );
}
