/** How far the target of a run is, as it reported. */

import { progressWords, type Report } from '../../domain/runs/report.ts';
import { Ago, Outside } from './basic.tsx';

interface ProgressProps extends Pick<Report, 'percent' | 'line'> {
  /** When it reported, in ISO 8601. */
  progressAt: string | null;
}

/** A bar, the words of the target and how old they are; nothing before it has reported. */
export function Progress({ progressAt, ...progress }: ProgressProps) {
  const words = progressWords(progress);
  if (words === null) return null;
  const { percent } = progress;
  return (
    <p class="progress">
      {percent !== null && <progress max={100} value={percent} aria-label="Progress" />}
      <Outside text={words} />
      <span class="quiet">{progressAt !== null && <Ago at={progressAt} />}</span>
    </p>
  );
}
