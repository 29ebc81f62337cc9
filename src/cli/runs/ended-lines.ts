/** The lines of `jobd runs tail` on a terminal: a run each, and the date where a day begins. */

import type { ListedRun } from '../../api/runs/contract.ts';
import { coloured, state } from '../terminal/cell.ts';
import type { Output } from '../terminal/output.ts';
import { padTo, plain } from '../terminal/text.ts';

/** The form of Sweden is that of ISO 8601, in local time. */
const isoForm = 'sv-SE';

/**
 * Makes what prints ended runs: when each ended (local time), how, of which job, how long it took, and why it was no success. A
 * line with the date comes before the first run of another day than the one before it, or than `today` (epoch milliseconds).
 */
export function createEndedLines(output: Output, today: number): (run: ListedRun) => void {
  let day = new Date(today).toLocaleDateString(isoForm);
  return (run) => {
    const time = run.finishedAt ?? run.scheduledFor;
    const at = new Date(time);
    const isTime = !Number.isNaN(at.getTime());
    const ofRun = isTime ? at.toLocaleDateString(isoForm) : day;
    if (ofRun !== day) output.data(ofRun);
    day = ofRun;
    const result = coloured(output, state(run.status), padTo(run.status, 'interrupted'.length));
    const duration = run.durationMs === null ? '' : `  ${run.durationMs} ms`;
    const error = run.error === null ? '' : `  ${plain(run.error)}`;
    const clock = isTime ? at.toLocaleTimeString(isoForm) : plain(time);
    output.styled(`${clock}  ${result}  ${plain(run.job.name)}${duration}${error}`);
  };
}
