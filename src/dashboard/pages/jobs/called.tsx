/** What a job calls, what it runs after, who is alerted when that fails, and what became of the results that it posts. */

import type { Channel, ChannelList, DeliveryList } from '../../../api/alerts/contract.ts';
import type { Job } from '../../../api/jobs/contract.ts';
import type { JobChain } from '../../../api/jobs/extension-contract.ts';
import { afterOnVerbs } from '../../../domain/jobs/after-words.ts';
import { fits, readSelector } from '../../../domain/labels.ts';
import { ofAll, useResource, type Concern } from '../../client/resource.ts';
import { mayWrite } from '../../client/session.ts';
import { Ago, Facts, Glyph, Lines, Link, Outside, Problem } from '../../parts/basic.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { sizeWords } from '../../view/body.ts';
import { deliverySign, deliveryWords } from '../../view/deliveries.ts';
import { span } from '../../view/figures.ts';
import { signChoices } from '../../view/job-form.ts';

/** A change of any job: each may run after this one. */
const ofAnyJob: Concern = ({ jobs }) => jobs.length > 0;
/** A run that ended has a result to post; a delivery was tried. */
const ofRunsAndDeliveries: Concern = ({ runs, channels }) => runs.length + channels.length > 0;

/** The call with its limits, its channels, and what people noted. */
export function Called({ job }: { job: Job }) {
  const { id, reportWithinSeconds, makeUpSeconds, headerNames, body, onResult } = job;
  const chain = useResource<JobChain>(`/jobs/${id}/chain`, ofAnyJob).body.value;
  const after = chain?.after;
  const followers = chain?.followers ?? [];
  return (
    <section class="panel stack" aria-labelledby="called">
      <h2 id="called">What is called</h2>
      <div class="call">
        <code class="method">{job.method}</code>
        <Copyable text={job.url} />
      </div>
      <Facts
        of={{
          Timeout: `${job.timeoutSeconds} s for an attempt`,
          Retries: job.retries === 0 ? 'none' : job.retries,
          Report:
            reportWithinSeconds !== undefined &&
            `within ${span(reportWithinSeconds * 1000)} after an answer of 202`,
          'If missed':
            makeUpSeconds !== undefined &&
            `one run makes up for it, up to ${span(makeUpSeconds * 1000)} later`,
          Headers: headerNames.length > 0 && (
            <>
              <code>
                <Outside text={headerNames.join(', ')} />
              </code>{' '}
              <span class="quiet">(values are never shown)</span>
            </>
          ),
          Body: body !== null && (
            <details>
              <summary>{sizeWords(body)}</summary>
              <Lines text={body} />
            </details>
          ),
          'Runs after': after && (
            <>
              <JobLink id={after.jobId} name={after.name ?? 'a job that is gone'} />{' '}
              {afterOnVerbs[after.on]}
            </>
          ),
          Then: followers.length > 0 && (
            <ul>
              {followers.map(({ id: followerId, name, on }) => (
                <li key={followerId}>
                  <JobLink id={followerId} name={name} />{' '}
                  <span class="quiet">if this one {afterOnVerbs[on]}</span>
                </li>
              ))}
            </ul>
          ),
          'Results go to': onResult !== undefined && (
            <>
              <code>
                <Outside text={onResult} />
              </code>
              <Results jobId={id} />
            </>
          ),
          'Proof of the caller': job.sign !== undefined && (
            <>
              {new Map(signChoices).get(job.sign)}
              {job.audience !== undefined && ' for '}
              <Outside text={job.audience ?? ''} />
            </>
          ),
          Alerts: <Alerts job={job} />,
          Notes: job.notes !== '' && (
            <div class="notes">
              <Lines text={job.notes} />
            </div>
          ),
        }}
      />
    </section>
  );
}

function JobLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to={`/jobs/${id}`}>
      <Outside text={name} />
    </Link>
  );
}

/** The channels that alert for a job. */
function Alerts({ job }: { job: Job }) {
  const list = useResource<ChannelList>('/channels?limit=100', ofAll('channel')).body.value;
  if (list === null) return null;
  const hear = list.channels.filter(({ enabled, jobIds, selector }: Channel) => {
    if (selector !== null) return enabled && fits(job.labels ?? null, readSelector(selector));
    return enabled && (jobIds === null || jobIds.includes(job.id));
  });
  const hasMore = list.nextCursor !== null;
  if (hear.length === 0 && !hasMore) {
    return (
      <>
        no channel: nobody gets an alert{' '}
        {mayWrite.value && <Link to="/channels/new">New channel</Link>}
      </>
    );
  }
  return (
    <ul>
      {hear.map(({ id, name, type, afterFailures, lastDelivery }) => (
        <li key={id}>
          <Link to={`/channels/${id}`}>
            <Outside text={name} />
          </Link>{' '}
          <span class="quiet">
            {type}
            {afterFailures > 1 && `, after ${afterFailures} failures in a row`}
          </span>
          {lastDelivery !== null && lastDelivery.lastError !== null && (
            <Problem text={`its last alert did not arrive: ${lastDelivery.lastError}`} />
          )}
        </li>
      ))}
      {hasMore && (
        <li>
          <Link to="/channels">See all channels</Link>
        </li>
      )}
    </ul>
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
    <ul>
      {list.deliveries.map((delivery) => (
        <li key={delivery.id}>
          <Glyph status={deliverySign(delivery)} /> {deliveryWords(delivery)}{' '}
          <span class="quiet">
            <Ago at={delivery.createdAt} />
            {delivery.lastError !== null && ': '}
            <Outside text={delivery.lastError ?? ''} />
          </span>
        </li>
      ))}
    </ul>
  );
}
