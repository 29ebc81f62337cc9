/** When the next ping of a monitor is due, in its zone and in that of this browser. */

import type { Monitor } from '../../../api/monitors/contract.ts';
import { now } from '../../client/clock.ts';
import { useSchedulePreview } from '../../client/schedule-preview.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Ago, At } from '../../parts/time.tsx';
import { duration, span } from '../../view/durations.ts';
import { dueWords, graceEnd } from '../../view/monitors/monitor-state.ts';
import { absolute, browserZone, sameZone } from '../../view/times.ts';

/** How many due times follow the next one. */
const count = 3;

/** The panel. `words` is the schedule in words, if that is known. */
export function NextPing({ monitor, words }: { monitor: Monitor; words: string | undefined }) {
  const { nextDueAt, paused, scheduleType, cronExpr, timezone, graceSeconds } = monitor;
  const isCron = scheduleType === 'cron';
  const isAsked = mayWrite.value && isCron && nextDueAt !== null && cronExpr !== null;
  const asked = { scheduleType, timezone, cronExpr: cronExpr ?? '', from: nextDueAt, count };
  const answer = useSchedulePreview(isAsked ? asked : null);
  const preview = answer?.ok === true ? answer.body : null;
  const schedule = words ?? cronExpr ?? '';
  return (
    <section class="panel">
      <h2>Next ping</h2>
      <dl class="facts">
        <dt>Schedule</dt>
        <dd>
          {schedule}
          {isCron && `, ${timezone}`}
          {isCron && schedule !== cronExpr && <code class="cron">{cronExpr}</code>}
        </dd>
        <dt>Due</dt>
        <dd>
          {nextDueAt === null ? (
            (paused && 'paused') || 'after the first ping'
          ) : (
            <>
              <Due at={nextDueAt} zone={isCron ? timezone : undefined} />
              <br />
              <time dateTime={nextDueAt} title={absolute(nextDueAt)} class="quiet">
                {dueWords(monitor, now.value)}
              </time>
            </>
          )}
        </dd>
        {preview !== null && preview.next.length > 0 && (
          <>
            <dt>Then</dt>
            <dd>
              {preview.next.map((at) => (
                <div key={at}>
                  <Due at={at} zone={timezone} />
                </div>
              ))}
              {preview.notes.map((note) => (
                <p key={note} class="hint">
                  {note}
                </p>
              ))}
            </dd>
          </>
        )}
        <dt>Grace</dt>
        <dd>
          {graceSeconds === 0 ? 'none' : span(graceSeconds * 1000)}
          <Deadline monitor={monitor} />
        </dd>
        <dt>Last ping</dt>
        <dd>
          {monitor.lastPingAt === null ? 'none' : <Ago at={monitor.lastPingAt} />}
          {monitor.lastDurationMs !== null && `, took ${duration(monitor.lastDurationMs)}`}
        </dd>
      </dl>
    </section>
  );
}

/** A time in the zone of the schedule, and here if that is another one. */
function Due({ at, zone }: { at: string; zone: string | undefined }) {
  const isSame = zone === undefined || sameZone(zone, browserZone());
  return (
    <>
      <At at={at} zone={zone} />
      {!isSame && (
        <span class="quiet">
          {' '}
          · here <At at={at} />
        </span>
      )}
    </>
  );
}

function Deadline({ monitor }: { monitor: Monitor }) {
  const end = graceEnd(monitor);
  if (end === null || monitor.graceSeconds === 0 || Date.parse(end) <= now.value) return null;
  const zone = monitor.scheduleType === 'cron' ? monitor.timezone : undefined;
  return (
    <span class="quiet">
      {' '}
      · until <At at={end} zone={zone} />
    </span>
  );
}
