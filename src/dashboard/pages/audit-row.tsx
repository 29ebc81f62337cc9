/** An entry of the audit trail: who did what, and below it from where. */

import type { AuditEntry } from '../../api/accounts/contract.ts';
import { didWords } from '../../domain/accounts/audit-words.ts';
import { Link } from '../parts/link.tsx';
import { Outside } from '../parts/outside.tsx';
import { changesBy, changesTo, subjectPlace, subjectType } from '../view/audit.ts';
import { absolute, clock } from '../view/times.ts';

/** The row. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
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
        {count > 1 && <span class="quiet">, {count} times within a minute</span>}
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
      <dl class="facts">
        <dt>Address of the connection</dt>
        <dd>{address === null ? 'none: a command on the server' : <Outside text={address} />}</dd>
        {forwardedFor !== null && (
          <>
            <dt>Forwarded for</dt>
            <dd>
              <Outside text={forwardedFor} />{' '}
              <span class="quiet">if the proxy in front of jobd says so</span>
            </dd>
          </>
        )}
        <dt>By</dt>
        <dd>
          {actor.type} <Outside text={actor.id} />
        </dd>
        {!isSelf && (
          <>
            <dt>To</dt>
            <dd>
              {subjectType(entry)} {subject.id}
            </dd>
          </>
        )}
        <dt>Entry</dt>
        <dd>
          {number}, {action}
        </dd>
      </dl>
      <p class="ways">
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
