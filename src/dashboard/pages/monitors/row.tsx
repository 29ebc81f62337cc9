/** A monitor in the list. */

import type { MonitorSummary } from '../../../api/overview/contract.ts';
import { now } from '../../client/clock.ts';
import { setPaused } from '../../client/actions/update.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { PauseButton } from '../../parts/pause-button.tsx';
import { Strip } from '../../parts/rows/strip.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { duration, span } from '../../view/durations.ts';
import { dueWords } from '../../view/monitors/monitor-state.ts';
import { absolute, browserZone, city, timeIn } from '../../view/times.ts';

/** Below this a due time counts down. */
const soonMs = 3_600_000;

/** The row: status, name and schedule; next due and last ping; the newest results; pause or resume. */
export function MonitorRow({ monitor }: { monitor: MonitorSummary }) {
  const { id, name, status, since, scheduleWords, recent, lastDurationMs, paused } = monitor;
  return (
    <li class={`row monitor ${status}`} data-id={id}>
      <span class="state" title={status}>
        <Glyph status={status} />
        <span class="hidden">{status}</span>
      </span>
      <div class="what">
        <Link to={`/monitors/${id}`} class="name">
          <Outside text={name} />
        </Link>
        <p class="quiet line">
          {status === 'down' && since !== null && (
            <span class="reason">down for {span(now.value - Date.parse(since))} · </span>
          )}
          {scheduleWords}
        </p>
      </div>
      <p class="when">
        <NextDue monitor={monitor} />
        <LastPing at={monitor.lastPingAt} />
      </p>
      <div class="past">
        <Strip recent={recent} noun="ping" />
        <span class="quiet figure">{lastDurationMs === null ? '' : duration(lastDurationMs)}</span>
      </div>
      {mayWrite.value && (
        <div class="acts">
          <PauseButton
            name={name}
            paused={paused}
            onPress={() => void setPaused('monitor', monitor, !paused)}
          />
        </div>
      )}
    </li>
  );
}

function LastPing({ at }: { at: string | null }) {
  if (at === null) return <span class="quiet">no ping yet</span>;
  return (
    <span class="quiet">
      pinged <Ago at={at} />
    </span>
  );
}

/** A countdown if it is soon or overdue, else a time; the zone is that of the monitor. */
function NextDue({ monitor }: { monitor: MonitorSummary }) {
  const { nextDueAt, paused, scheduleType, timezone, status } = monitor;
  if (nextDueAt === null) return <span class="line">{paused ? 'paused' : 'waits for a ping'}</span>;
  const zone = scheduleType === 'cron' ? timezone : browserZone();
  const isFar = Date.parse(nextDueAt) - now.value > soonMs;
  return (
    <span class={`line ${status === 'late' ? 'overdue' : ''}`}>
      {isFar ? (
        <>
          due <At at={nextDueAt} zone={zone} /> {city(zone)}
        </>
      ) : (
        <time
          dateTime={nextDueAt}
          title={absolute(nextDueAt, zone)}
          data-at={timeIn(nextDueAt, now.peek(), zone)}
        >
          {dueWords(monitor, now.value)}
        </time>
      )}
    </span>
  );
}
