/** The first day: there is no job yet. */

import { mayWrite } from '../../client/session/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';
import { root } from '../../router.ts';

/** What a job is, and how to get one. */
export function NoJobs() {
  return (
    <section class="empty">
      <Heading title="No jobs yet" />
      <p>A job is a URL that jobd calls on a schedule.</p>
      {mayWrite.value && (
        <>
          <p class="actions">
            <Link to="/jobs/new" class="button main">
              New job
            </Link>
          </p>
          <p class="quiet">
            You can paste a curl command or a line of a crontab there. For the command line, first
            give it a key, on the server:
          </p>
          <Copyable
            text={`jobd key create --name laptop | jobd login --url ${location.origin}${root.slice(0, -1)}`}
          />
          <p class="quiet">Then create a job:</p>
          <Copyable text="jobd jobs create --name backup --url https://example.com/backup --cron '30 2 * * *'" />
        </>
      )}
    </section>
  );
}
