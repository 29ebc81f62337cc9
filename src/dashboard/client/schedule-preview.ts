/** When a schedule will be due, asked while it is typed. */

import { useEffect, useState } from 'preact/hooks';
import type { SchedulePreview } from '../../api/schedule/contract.ts';
import type { ScheduleFields } from '../view/schedule-form.ts';
import { ask, outage, type Answer } from './api.ts';
import { now } from './clock.ts';
import { hasEnded, workOut } from './session.ts';

const pauseMs = 300;
/** Timers of browsers are no longer than 24 days. */
const longestMs = 86_400_000;

/**
 * The answer for exactly these fields; null before it is there, or if there is nothing to ask. `jobId` is that of a job
 * that has this schedule already and is not paused: a period continues counting where it is.
 */
export function useSchedulePreview(
  fields: ScheduleFields | null,
  jobId: string | null = null,
): Answer<SchedulePreview> | null {
  const asked = JSON.stringify([fields, jobId]);
  const [known, setKnown] = useState<{ asked: string; answer: Answer<SchedulePreview> } | null>(
    null,
  );
  const isReachable = outage.value === null && !hasEnded.value;
  useEffect(() => {
    if (fields === null || !isReachable) return undefined;
    let isCurrent = true;
    let timer = setTimeout(() => void read(), pauseMs);
    const read = async (): Promise<void> => {
      const answer =
        jobId === null
          ? await workOut<SchedulePreview>('/schedule/preview', fields)
          : await ask<SchedulePreview>('GET', `/jobs/${jobId}/due-times`);
      // Another one may have been typed meanwhile.
      if (!isCurrent || (!answer.ok && answer.status === 401)) return;
      setKnown({ asked, answer });
      const waitMs = againIn(answer);
      if (waitMs !== null) timer = setTimeout(() => void read(), waitMs);
    };
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `asked` has the fields and the job
  }, [asked, isReachable]);
  return fields !== null && known?.asked === asked ? known.answer : null;
}

/** After how many milliseconds to ask again: when the first due time has passed, or when the server has time again. */
function againIn(answer: Answer<SchedulePreview>): number | null {
  if (!answer.ok) return answer.status === 429 ? (answer.retryAfter ?? 10) * 1000 : null;
  const [first] = answer.body.next;
  const untilMs = first === undefined ? Infinity : Date.parse(first) - now.peek();
  return untilMs > longestMs ? null : Math.max(untilMs, 0) + 1000;
}
