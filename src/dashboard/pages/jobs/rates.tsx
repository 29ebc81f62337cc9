/** How often the runs of a job succeeded in the last day, week and month, and how long they took. */

import type { JobFigures } from '../../../wings/figures/contract.ts';
import { rateText } from '../../../domain/runs/rate.ts';
import { now } from '../../client/clock.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { duration, figures } from '../../view/figures.ts';
import { dayIn } from '../../view/times.ts';

/** The table. It is as of when the page was opened: each run changes it by little. */
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
            {['last', 'succeeded', 'median', 'p95', 'p99'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ days, durations, ...of }) => {
            const all = of.success + of.failed + of.interrupted + of.missed;
            const { p50Ms = null, p95Ms = null, p99Ms = null } = durations ?? {};
            return (
              <tr key={days}>
                <th scope="row">{days === 1 ? '24 h' : `${days} days`}</th>
                <td>
                  <b>{rateText(of)}</b> <span class="quiet">of {figures(all)}</span>
                </td>
                {[p50Ms, p95Ms, p99Ms].map((ms, index) => (
                  <td key={index}>{ms === null ? '–' : duration(ms)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
