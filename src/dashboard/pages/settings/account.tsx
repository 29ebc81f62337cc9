/** Whose jobs these are, what the plan allows and how much of it is used. */

import type { Me } from '../../../api/accounts/contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import { now } from '../../client/clock.ts';
import { useResource, type Concern } from '../../client/resource.ts';
import { At, Facts, Outside, Problem } from '../../parts/basic.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { span } from '../../view/figures.ts';
import { rights, usage } from '../../view/settings.ts';
import { dayIn } from '../../view/times.ts';

/** Runs change it all the time: only jobs and monitors are counted again at once. */
const ofCounts: Concern = ({ jobs, monitors }) => jobs.length + monitors.length > 0;

/** The section. */
export function Account({ session }: { session: Session }) {
  const me = useResource<Me>('/me', ofCounts);
  return (
    <>
      <Facts
        of={{
          Workspace: <Outside text={session.workspace.name} />,
          'This session': (
            <>
              may {rights(session)}
              <div class="quiet">
                ends <At at={session.expiresAt} /> at the latest, or after{' '}
                {session.isOwner ? '24 hours' : '7 days'} without use
              </div>
            </>
          ),
        }}
      />
      <Loaded from={me}>{(body) => <Plan me={body} />}</Loaded>
    </>
  );
}

function Plan({ me: { plan, usage: used, expiresAt, trialEndsAt } }: { me: Me }) {
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now.value;
  return (
    <>
      {isOver && (
        <Problem
          text={`The ${trialEndsAt === null ? 'subscription' : 'trial'} ended ${dayIn(expiresAt, now.value)}: jobs are not called, and nothing can be created or changed. Reading and deleting go on.`}
        />
      )}
      <Facts
        of={{
          Plan: (
            <>
              {plan.name}
              <div class="quiet">
                schedules of {span(plan.minIntervalSeconds * 1_000)} or longer, attempts of up to{' '}
                {span(plan.maxTimeoutSeconds * 1_000)}, results kept for {plan.retentionDays} days
              </div>
            </>
          ),
          Trial: trialEndsAt !== null && !isOver && (
            <>
              until <At at={trialEndsAt} />
            </>
          ),
          'Jobs and monitors': (
            <Used
              used={used.jobs + used.monitors}
              limit={plan.jobs}
              what={used.monitors > 0 ? 'jobs and monitors' : 'jobs'}
            />
          ),
          'Results kept': <Used used={used.results} limit={plan.results} what="results" />,
        }}
      />
    </>
  );
}

function Used({ used, limit, what }: { used: number; limit: number | null; what: string }) {
  return (
    <>
      {usage(used, limit, what)}
      {limit !== null && <progress max={limit} value={used} aria-label={`used ${what}`} />}
    </>
  );
}
