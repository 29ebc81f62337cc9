/** What a job calls, and who hears when that fails. */

import type { Channel, ChannelList } from '../../../api/alerts/contract.ts';
import type { Job } from '../../../api/jobs/contract.ts';
import { ofChannels, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Problem } from '../../parts/problem.tsx';
import { span } from '../../view/durations.ts';
import { sizeWords } from '../../view/body.ts';
import { Follows } from './follows.tsx';
import { signChoices } from '../../view/jobs/job-form.ts';
import { Lines } from './lines.tsx';

/** The call with its limits, its channels, and what people noted. */
export function Called({ job }: { job: Job }) {
  const { method, url, timeoutSeconds, retries, awaitSeconds, headerNames, body, notes } = job;
  return (
    <section class="panel stack" aria-labelledby="called">
      <h2 id="called">What is called</h2>
      <div class="call">
        <code class="method">{method}</code>
        <Copyable text={url} />
      </div>
      <dl class="facts">
        <dt>Timeout</dt>
        <dd>{timeoutSeconds} s for an attempt</dd>
        <dt>Retries</dt>
        <dd>{retries === 0 ? 'none' : retries}</dd>
        {awaitSeconds !== undefined && (
          <>
            <dt>Report</dt>
            <dd>within {span(awaitSeconds * 1000)} after an answer of 202</dd>
          </>
        )}
        {headerNames.length > 0 && (
          <>
            <dt>Headers</dt>
            <dd>
              <code>
                <Outside text={headerNames.join(', ')} />
              </code>{' '}
              <span class="quiet">(values are never shown)</span>
            </dd>
          </>
        )}
        {body !== null && (
          <>
            <dt>Body</dt>
            <dd>
              <details>
                <summary>{sizeWords(body)}</summary>
                <Lines text={body} />
              </details>
            </dd>
          </>
        )}
        <Follows job={job} />
        {job.sign !== undefined && (
          <>
            <dt>Proof of the caller</dt>
            <dd>
              {new Map(signChoices).get(job.sign)}
              {job.audience !== undefined && (
                <>
                  {' '}
                  for <Outside text={job.audience} />
                </>
              )}
            </dd>
          </>
        )}
        <dt>Alerts</dt>
        <dd>
          <Alerts jobId={job.id} />
        </dd>
        {notes !== '' && (
          <>
            <dt>Notes</dt>
            <dd class="notes">
              <Lines text={notes} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** The channels that alert for a job. */
function Alerts({ jobId }: { jobId: string }) {
  const list = useResource<ChannelList>('/channels?limit=100', ofChannels).body.value;
  if (list === null) return null;
  const hear = list.channels.filter(({ enabled, jobIds }: Channel) => {
    return enabled && (jobIds === null || jobIds.includes(jobId));
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
    <ul class="names">
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
