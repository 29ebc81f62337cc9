/** The jobd that answers: how punctual it is for all, and its state for the owner. */

import type { About } from '../../../api/accounts/contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import type { Lateness } from '../../../api/runs/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { At, Facts, Outside, Problem } from '../../parts/basic.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { figures } from '../../view/figures.ts';
import { lateness, taken } from '../../view/settings.ts';

/** The section. */
export function Server({ session }: { session: Session }) {
  const about = useResource<About>(session.isOwner ? '/about' : null, ofNothing);
  const late = useResource<Lateness>('/lateness', ofNothing);
  return (
    <>
      {session.isOwner && <Loaded from={about}>{(body) => <ServerFacts about={body} />}</Loaded>}
      <Loaded from={late}>{(body) => <p>{lateness(body)}</p>}</Loaded>
    </>
  );
}

function ServerFacts({ about }: { about: About }) {
  const { ledger } = about;
  return (
    <>
      {about.findings.map(({ detail, notes }) => (
        <Problem key={detail} text={[detail, ...notes].join('; ')} />
      ))}
      <Facts
        of={{
          Version: <Outside text={about.version} />,
          'Time zones': <Outside text={`data of ${about.timeZoneData}`} />,
          'Runs since': <At at={about.startedAt} />,
          Address: <Outside text={about.siteUrl} />,
          Database: taken(about.databaseBytes, about.space.limitBytes, about.freeBytes),
          Ledger:
            ledger === null ? (
              'not checked yet'
            ) : (
              <>
                {figures(ledger.dueTimes)} due times accounted for, checked{' '}
                <At at={ledger.checkedAt} />
              </>
            ),
          Receipts: about.isSigning ? 'signed' : 'not signed',
          'Mail server': about.mailIsConfigured ? 'set' : 'not set',
          Nodes: about.nodes.length > 0 && (
            <ul>
              {about.nodes.map(({ id, host, pid, role, calls, slots }) => (
                <li key={id}>
                  <Outside text={host} /> ({role}), process {pid}, {calls} of {slots} calls
                </li>
              ))}
            </ul>
          ),
        }}
      />
    </>
  );
}
