/** How often the runs of a job succeeded in the last day, week and month, and how long they took. */

import type { JobFigures } from '../../../wings/figures/contract.ts';
import { counted } from '../../../domain/counted.ts';
import { rateText } from '../../../domain/runs/rate.ts';
import { now } from '../../client/clock.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { duration, figures } from '../../view/figures.ts';
import { dayIn } from '../../view/times.ts';

/** The table, as of when the page was opened: each run changes it by little. */
export function Rates({ id, zone }: { id: string; zone: string }) {
  const periods = useResource<JobFigures>(`/jobs/${id}/figures`, ofNothing).body.value?.periods;
  const shown = periods?.filter(({ rate }) => rate !== null) ?? [];
  if (shown.length === 0) return null;
  const from = shown.at(-1)?.countedFrom ?? null;
  return (
    <section class="panel" aria-labelledby="rates">
      <div class="titled">
        <h2 id="rates">Figures</h2>
        {from !== null && <p class="quiet">counted from {dayIn(from, now.peek(), zone)}</p>}
      </div>
      <table class="due">
        <thead>
          <tr>
            <th scope="col">last</th>
            <th scope="col">succeeded</th>
            <th scope="col">median</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ days, durations, ...of }) => (
            <tr key={days}>
              <th scope="row">{days === 1 ? '24 h' : `${days} d`}</th>
              <td>
                <b>{rateText(of)}</b>{' '}
                <span class="quiet">
                  of {figures(of.success + of.failed + of.interrupted + of.missed)}
                  {of.missed > 0 && `, ${counted(of.missed, 'due time')} missed`}
                </span>
              </td>
              {(['p50Ms', 'p95Ms'] as const).map((name) => (
                <td key={name}>{durations === null ? '–' : duration(durations[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
