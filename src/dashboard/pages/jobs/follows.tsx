/** What a job runs after, what runs after it, and what became of the results that it posts. */

import type { DeliveryList } from '../../../api/alerts/contract.ts';
import type { JobChain } from '../../../api/jobs/extension-contract.ts';
import type { Job } from '../../../api/jobs/contract.ts';
import { afterOnVerbs } from '../../../domain/jobs/after-words.ts';
import { useResource } from '../../client/resource.ts';
import type { Concern } from '../../client/resource.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Ago } from '../../parts/time.tsx';
import { deliverySign, deliveryWords } from '../../view/channels/deliveries.ts';

/** A change of any job: each may run after this one. */
const ofAnyJob: Concern = ({ jobs }) => jobs.length > 0;
/** A run that ended has a result to post; a delivery was tried. */
const ofRunsAndDeliveries: Concern = ({ runs, channels }) => runs.length + channels.length > 0;

/** Entries of a list of facts; none for a job that is alone. */
export function Follows({ job: { id, onResult } }: { job: Job }) {
  const chain = useResource<JobChain>(`/jobs/${id}/chain`, ofAnyJob).body.value;
  return (
    <>
      {chain !== null && chain.after !== null && (
        <>
          <dt>Runs after</dt>
          <dd>
            <Named id={chain.after.jobId} name={chain.after.name ?? 'a job that is gone'} />{' '}
            {afterOnVerbs[chain.after.on]}
          </dd>
        </>
      )}
      {chain !== null && chain.followers.length > 0 && (
        <>
          <dt>Then</dt>
          <dd>
            <ul class="names">
              {chain.followers.map(({ id: followerId, name, on }) => (
                <li key={followerId}>
                  <Named id={followerId} name={name} />{' '}
                  <span class="quiet">if this one {afterOnVerbs[on]}</span>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {onResult !== undefined && (
        <>
          <dt>Results go to</dt>
          <dd>
            <code>
              <Outside text={onResult} />
            </code>
            <Results jobId={id} />
          </dd>
        </>
      )}
    </>
  );
}

function Named({ id, name }: { id: string; name: string }) {
  return (
    <Link to={`/jobs/${id}`}>
      <Outside text={name} />
    </Link>
  );
}

/** The newest results. */
const shown = 5;

function Results({ jobId }: { jobId: string }) {
  const path = `/jobs/${jobId}/callbacks?limit=${shown}`;
  const list = useResource<DeliveryList>(path, ofRunsAndDeliveries).body.value;
  if (list === null) return null;
  if (list.deliveries.length === 0) return <p class="quiet">No result yet.</p>;
  return (
    <ul class="names">
      {list.deliveries.map((delivery) => (
        <li key={delivery.id}>
          <Glyph status={deliverySign(delivery)} /> {deliveryWords(delivery)}{' '}
          <span class="quiet">
            <Ago at={delivery.createdAt} />
            {delivery.lastError !== null && (
              <>
                {': '}
                <Outside text={delivery.lastError} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
