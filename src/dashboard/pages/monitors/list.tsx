/** All monitors: those that are down or late first, then the others. */

import type { MonitorSummary } from '../../../api/overview/contract.ts';
import { now } from '../../client/clock.ts';
import { mayWrite } from '../../client/session.ts';
import { Ago } from '../../parts/basic.tsx';
import { useOverview } from '../../parts/frame.tsx';
import { Empty, ListPage } from '../../parts/list-page.tsx';
import { Due, Past, RowPause, ThingRow } from '../../parts/row.tsx';
import { span } from '../../view/figures.ts';
import { dueWords, momentsOf } from '../../view/monitor-state.ts';

/** The page. */
export function MonitorsPage() {
  const counts = useOverview()?.monitors;
  return (
    <ListPage<MonitorSummary>
      kind="monitor"
      from="/overview/monitors"
      search={['Search names', 120]}
      states={['down', 'late', 'up', 'paused', 'new']}
      counts={counts}
      isIn={({ status }, state) => status === state}
      trouble={['down', 'late']}
      since={({ since }) => since ?? ''}
      others="Others, newest first"
      moments={momentsOf}
      empty={
        <Empty
          kind="monitor"
          lines={[
            [
              'Or on the command line:',
              "jobd monitors create --name backup --cron '30 2 * * *' --grace 1h",
            ],
          ]}
        >
          <p>
            A monitor watches a task that runs elsewhere, such as a backup in a crontab. The task
            pings a URL after each run, and you are alerted when a ping does not arrive in time.
          </p>
        </Empty>
      }
    >
      {(monitor) => <MonitorRow key={monitor.id} monitor={monitor} />}
    </ListPage>
  );
}

function MonitorRow({ monitor }: { monitor: MonitorSummary }) {
  const { status, since, scheduleWords, nextDueAt, lastPingAt, paused } = monitor;
  return (
    <ThingRow
      kind="monitor"
      thing={monitor}
      state={status}
      sign={status}
      below={
        <p class="quiet line">
          {status === 'down' && since !== null && (
            <span class="reason">down for {span(now.value - Date.parse(since))} · </span>
          )}
          {scheduleWords}
        </p>
      }
      when={
        <>
          <span class={`line ${status === 'late' ? 'overdue' : ''}`}>
            {nextDueAt === null ? (
              paused ? (
                'paused'
              ) : (
                'waits for a ping'
              )
            ) : (
              <Due {...monitor} at={nextDueAt} words={dueWords(monitor, now.value)} />
            )}
          </span>
          <span class="quiet">
            {lastPingAt === null ? (
              'no ping yet'
            ) : (
              <>
                pinged <Ago at={lastPingAt} />
              </>
            )}
          </span>
        </>
      }
      past={<Past {...monitor} noun="ping" />}
      acts={mayWrite.value && <RowPause kind="monitor" thing={monitor} />}
    />
  );
}
