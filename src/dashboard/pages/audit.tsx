/** Who changed what: the audit trail of the workspace, newest first. */

import type { AuditEntry } from '../../api/accounts/contract.ts';
import { usePages } from '../client/pages.ts';
import type { Concern } from '../client/resource.ts';
import { mayWrite } from '../client/session.ts';
import { Filters } from '../parts/tools.tsx';
import { Heading } from '../parts/heading.tsx';
import { Facts, Link, Outside } from '../parts/basic.tsx';
import { ReadOnly } from '../parts/loaded.tsx';
import { DayList } from '../parts/rows.tsx';
import { query } from '../router.ts';
import {
  auditPath,
  auditSubjects,
  changesBy,
  changesTo,
  subjectPlace,
  subjectType,
} from '../view/audit.ts';
import { didWords, oftenWords } from '../../domain/accounts/audit-words.ts';
import { absolute, clock } from '../view/times.ts';

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

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { at, actor, subject, fields, count } = entry;
  const { words, isNamed } = didWords(entry);
  const place = subjectPlace(entry);
  const name = <Outside text={subject.name === '' ? subject.id : subject.name} />;
  return (
    <li class="row audit">
      <time class="figure" dateTime={at} title={absolute(at)}>
        {clock(at, undefined, { withSeconds: true })}
      </time>
      <p class="did">
        <b>
          <Outside text={actor.name === '' ? actor.id : actor.name} />
        </b>{' '}
        <span class="quiet">({actor.type})</span> {words}{' '}
        {isNamed && (place === null ? name : <Link to={place}>{name}</Link>)}
        {fields.length > 0 && (
          <>
            : <Outside text={fields.join(', ')} />
          </>
        )}
        {count > 1 && <span class="quiet">{oftenWords(entry)}</span>}
      </p>
      <Details entry={entry} />
    </li>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const { number, actor, address, forwardedFor, action, subject } = entry;
  const isSelf = actor.id === subject.id;
  return (
    <details>
      <summary>
        {forwardedFor ?? address ?? 'on the server'}
        <span class="hidden">, details</span>
      </summary>
      <Facts
        of={{
          'Address of the connection': (
            <Outside text={address ?? 'none: a command on the server'} />
          ),
          'Forwarded for': forwardedFor !== null && (
            <>
              <Outside text={forwardedFor} />{' '}
              <span class="quiet">if the proxy in front of jobd says so</span>
            </>
          ),
          By: <Outside text={`${actor.type} ${actor.id}`} />,
          To: !isSelf && `${subjectType(entry)} ${subject.id}`,
          Entry: `${number}, ${action}`,
        }}
      />
      <p class="choice">
        <Link to={changesBy(actor.id)}>
          All by this {actor.type === 'command' ? 'user' : actor.type}
        </Link>
        {!isSelf && (
          <Link to={changesTo(subject.id)}>All changes to this {subjectType(entry)}</Link>
        )}
      </p>
    </details>
  );
}
