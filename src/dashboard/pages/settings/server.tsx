/** The jobd that answers: how punctual it is for all, and its state for the owner. */

import { Fragment } from 'preact';
import type { Lateness } from '../../../api/runs/contract.ts';
import type { About } from '../../../api/accounts/contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Problem } from '../../parts/problem.tsx';
import { At } from '../../parts/time.tsx';
import { figures } from '../../view/figures.ts';
import { lateness, taken } from '../../view/settings.ts';

/** The section. */
export function Server({ session }: { session: Session }) {
  const about = useResource<About>(session.isOwner ? '/about' : null, ofNothing);
  const late = useResource<Lateness>('/lateness', ofNothing);
  return (
    <>
      {session.isOwner && <Loaded from={about}>{(body) => <Facts about={body} />}</Loaded>}
      <Loaded from={late}>{(body) => <p>{lateness(body)}</p>}</Loaded>
    </>
  );
}

function Facts({ about }: { about: About }) {
  return (
    <>
      {about.findings.map(({ detail, notes }) => (
        <Problem key={detail} text={[detail, ...notes].join('; ')} />
      ))}
      <dl class="facts">
        <dt>Version</dt>
        <dd>
          <Outside text={about.version} />
        </dd>
        <dt>Time zones</dt>
        <dd>
          data of <Outside text={about.timeZoneData} />
        </dd>
        <dt>Runs since</dt>
        <dd>
          <At at={about.startedAt} />
        </dd>
        <dt>Address</dt>
        <dd>
          <Outside text={about.siteUrl} />
        </dd>
        <dt>Database</dt>
        <dd>{taken(about.databaseBytes, about.space.limitBytes, about.freeBytes)}</dd>
        <dt>Ledger</dt>
        <dd>
          {about.ledger === null ? (
            'not checked yet'
          ) : (
            <>
              {figures(about.ledger.dueTimes)} due times accounted for, checked{' '}
              <At at={about.ledger.checkedAt} />
            </>
          )}
        </dd>
        <dt>Receipts</dt>
        <dd>{about.isSigning ? 'signed' : 'not signed'}</dd>
        <dt>Mail server</dt>
        <dd>{about.mailIsConfigured ? 'set' : 'not set'}</dd>
        {about.nodes.map(({ id, host, pid, role, calls, slots }) => (
          <Fragment key={id}>
            <dt>Node ({role})</dt>
            <dd>
              <Outside text={host} />, process {pid}, {calls} of {slots} calls
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}
