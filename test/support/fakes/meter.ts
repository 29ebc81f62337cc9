import type { Meter } from '../../../src/domain/meter.ts';

export const uncounted: Meter = {
  runEnded() {},
  runsRescued() {},
  jobsMissed() {},
  alertAttempted() {},
  resultAttempted() {},
  resultsDropped() {},
  removedEarly() {},
  spansLeft() {},
  databaseLost() {},
  clockStepped() {},
};
