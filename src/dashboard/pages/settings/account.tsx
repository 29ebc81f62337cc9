/** Whose jobs these are, what the plan allows and how much of it is used. */

import type { Me } from '../../../api/accounts/contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import { now } from '../../client/clock.ts';
import { ofJobs, useResource } from '../../client/resource.ts';
import type { Concern } from '../../client/resource.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Problem } from '../../parts/problem.tsx';
import { At } from '../../parts/time.tsx';
import { span } from '../../view/durations.ts';
import { rights, usage, usedPart } from '../../view/settings.ts';
import { dayIn } from '../../view/times.ts';

/** Runs change it all the time: only jobs and monitors are counted again at once. */
const ofCounts: Concern = (change) => change.monitors.length > 0 || ofJobs({ ...change, runs: [] });

/** The section. */
export function Account({ session }: { session: Session }) {
  const me = useResource<Me>('/me', ofCounts);
  return (
    <>
      <dl class="facts">
        <dt>Workspace</dt>
        <dd>
          <Outside text={session.workspace.name} />
        </dd>
        <dt>This session</dt>
        <dd>
          may {rights(session)}
          <span class="quiet line-break">
            ends <At at={session.expiresAt} /> at the latest, or after{' '}
            {session.isOwner ? '24 hours' : '7 days'} without use
          </span>
        </dd>
      </dl>
      <Loaded from={me}>{(body) => <Plan me={body} />}</Loaded>
    </>
  );
}

function Plan({ me: { plan, usage: used, trialEndsAt } }: { me: Me }) {
  const trialEnd = trialEndsAt === null ? null : Date.parse(trialEndsAt);
  return (
    <>
      {trialEnd !== null && trialEnd <= now.value && (
        <Problem
          text={`The trial ended ${dayIn(trialEndsAt ?? '', now.value)}: jobs are not called, and nothing can be created or changed. Reading and deleting go on.`}
        />
      )}
      <dl class="facts">
        <dt>Plan</dt>
        <dd>
          {plan.name}
          <span class="quiet line-break">
            schedules of {span(plan.minIntervalSeconds * 1_000)} or longer, attempts of up to{' '}
            {span(plan.maxTimeoutSeconds * 1_000)}, results kept for {plan.retentionDays} days
          </span>
        </dd>
        {trialEnd !== null && trialEnd > now.value && (
          <>
            <dt>Trial</dt>
            <dd>
              until <At at={trialEndsAt ?? ''} />
            </dd>
          </>
        )}
        <dt>Jobs and monitors</dt>
        <dd>
          <Used
            used={used.jobs + used.monitors}
            limit={plan.jobs}
            what={used.monitors > 0 ? 'jobs and monitors' : 'jobs'}
          />
        </dd>
        <dt>Results kept</dt>
        <dd>
          <Used used={used.results} limit={plan.results} what="results" />
        </dd>
      </dl>
    </>
  );
}

function Used({ used, limit, what }: { used: number; limit: number | null; what: string }) {
  return (
    <>
      {usage(used, limit, what)}
      {limit !== null && (
        <svg class="used" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect width="100" height="4" />
          <rect
            class={used >= limit ? 'part full' : 'part'}
            width={usedPart(used, limit)}
            height="4"
          />
        </svg>
      )}
    </>
  );
}
