/** Time zones: follows the time-zone data of this machine, which systems bring up to date while jobd runs. */

import type { Clock } from '../../domain/clock.ts';
import { refreshZoneData, zoneDataText } from '../../domain/schedule/zone-data.ts';
import type { Log } from '../../base/log.ts';
import type { Step } from '../loop.ts';

/** Other data is used when two looks in a row find it. */
const lookEveryMs = 5 * 60_000;

/** Looks whether there is other data. `onChange` is called when it is in use, so that due times are planned by it. */
export function createZoneStep(
  { log, clock }: { log: Log; clock: Clock },
  onChange: () => void,
): Step {
  let lookAt = clock.monotonicMs() + lookEveryMs;
  return () => {
    const now = clock.monotonicMs();
    if (now >= lookAt) {
      lookAt = now + lookEveryMs;
      if (refreshZoneData()) {
        log.info({ timeZoneData: zoneDataText() }, 'other time-zone data is used');
        onChange();
      }
    }
    return Promise.resolve(lookAt - now);
  };
}
