/** Who changed what: the audit trail of the workspace, newest first. */

import type { AuditEntry } from '../../api/accounts/contract.ts';
import { usePages } from '../client/pages.ts';
import type { Concern } from '../client/resource.ts';
import { mayWrite } from '../client/session/session.ts';
import { Filters } from '../parts/rows/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { Outside } from '../parts/outside.tsx';
import { ReadOnly } from '../parts/read-only.tsx';
import { DayList } from '../parts/rows/row-list.tsx';
import { query } from '../router.ts';
import { auditPath, auditSubjects } from '../view/audit.ts';
import { AuditRow } from './audit-row.tsx';

/** Runs change too often, and few of them are in the trail. Sign-ins and keys have no event. */
const ofChanges: Concern = ({ jobs, monitors, channels }) =>
  jobs.length + monitors.length + channels.length > 0;

/** The page. */
export function AuditPage() {
  // It has names and addresses of others.
  return mayWrite.value ? <Trail /> : <ReadOnly title="Audit" to="/" word="Jobs" />;
}

function Trail() {
  const path = auditPath(query.value);
  const list = usePages<AuditEntry>(path, 'entries', ofChanges, () => false);
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
      <Only entry={list.rows.value?.[0]} />
      <DayList list={list} of={path} none="No change found." timeOf={({ at }) => at}>
        {(entry) => <AuditRow key={entry.number} entry={entry} />}
      </DayList>
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
