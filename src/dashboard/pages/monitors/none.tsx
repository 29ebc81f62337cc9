/** There is no monitor yet. */

import { mayWrite } from '../../client/session/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';

/** What a monitor is, and how to get one. */
export function NoMonitors() {
  return (
    <section class="empty">
      <Heading title="No monitors yet" />
      <p>
        A monitor watches a task that runs elsewhere, such as a backup in a crontab. The task pings
        a URL after each run, and you are alerted when a ping does not arrive in time.
      </p>
      {mayWrite.value && (
        <>
          <p class="actions">
            <Link to="/monitors/new" class="button main">
              New monitor
            </Link>
          </p>
          <p class="quiet">Or on the command line:</p>
          <Copyable text="jobd monitors create --name backup --cron '30 2 * * *' --grace 1h" />
        </>
      )}
    </section>
  );
}
