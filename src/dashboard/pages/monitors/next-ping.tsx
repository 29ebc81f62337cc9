/** When the next ping of a monitor is due, in its zone and in that of this browser. */

import type { Monitor } from '../../../api/monitors/contract.ts';
import { now } from '../../client/clock.ts';
import { useSchedulePreview } from '../../client/schedule-preview.ts';
import { mayWrite } from '../../client/session.ts';
import { Ago, At, Facts, Until } from '../../parts/basic.tsx';
import { DueTimes } from '../../parts/due-times.tsx';
import { duration, span } from '../../view/figures.ts';
import { dueWords, graceEnd } from '../../view/monitor-state.ts';
import { browserZone } from '../../view/times.ts';

/** How many due times follow the next one. */
const count = 3;

/** The panel. `words` is the schedule in words, if that is known. */
export function NextPing({ monitor, words }: { monitor: Monitor; words: string | undefined }) {
  const { nextDueAt, scheduleType, cronExpr, timezone, graceSeconds, lastPingAt } = monitor;
  const isCron = scheduleType === 'cron';
  const zone = isCron ? timezone : undefined;
  const isAsked = mayWrite.value && isCron && nextDueAt !== null && cronExpr !== null;
  const asked = { scheduleType, timezone, cronExpr: cronExpr ?? '', from: nextDueAt, count };
  const answer = useSchedulePreview(isAsked ? asked : null);
  const { next = [], notes = [] } = answer?.ok === true ? answer.body : {};
  const schedule = words ?? cronExpr ?? '';
  const deadline = graceEnd(monitor);
  const isOpen = deadline !== null && graceSeconds > 0 && Date.parse(deadline) > now.value;
  return (
    <section class="panel">
      <h2>Next ping</h2>
      <Facts
        of={{
          Schedule: (
            <>
              {schedule}
              {isCron && `, ${timezone}`}
              {isCron && schedule !== cronExpr && (
                <div class="quiet">
                  <code>{cronExpr}</code>
                </div>
              )}
            </>
          ),
          Due:
            nextDueAt === null ? (
              monitor.paused ? (
                'paused'
              ) : (
                'after the first ping'
              )
            ) : (
              <Until at={nextDueAt} words={dueWords(monitor, now.value)} />
            ),
          Grace: (
            <>
              {graceSeconds === 0 ? 'none' : span(graceSeconds * 1000)}
              {isOpen && (
                <span class="quiet">
                  {' '}
                  · until <At at={deadline} zone={zone} />
                </span>
              )}
            </>
          ),
          'Last ping': (
            <>
              {lastPingAt === null ? 'none' : <Ago at={lastPingAt} />}
              {monitor.lastDurationMs !== null && `, took ${duration(monitor.lastDurationMs)}`}
            </>
          ),
        }}
      />
      {nextDueAt !== null && <DueTimes next={[nextDueAt, ...next]} zone={zone ?? browserZone()} />}
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
    </section>
  );
}
