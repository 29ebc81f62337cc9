/**
 * Histories that `npm run test:all` simulates each time, as each showed a fault once, or a mistake that was made on purpose. A seed is
 * another history when the worlds change: `npm run test:mutants -- --sim 60` finds those that show the mistakes then.
 */

import { dense, earlier, type Plan } from './plan.ts';

/** A history that is kept. */
export interface Kept {
  seed: number;
  plan?: Partial<Plan>;
  why: string;
}

/** Many holds, clocks and expiries on one node. */
const calendar: Partial<Plan> = {
  nodes: 1,
  jobs: 20,
  faults: ['clock', 'kill', 'expiry', 'error'],
  faultEveryMs: 3_000,
  askEveryMs: 300,
  hasDeletions: true,
  hasHolds: true,
  lengthMs: 240_000,
};

export const kept: readonly Kept[] = [
  { seed: 10_586_801, why: 'an account was renewed while a job was over by a fast clock only' },
  {
    seed: 1,
    plan: { ...dense, ...earlier },
    why: 'a job whose account had expired kept what a fast clock had missed of it',
  },
  { seed: 5, why: 'schedules that began at one renewal, before and after a clock was set back' },
  { seed: 5006, why: 'a wait for a report lasted as long as the clock had been ahead' },
  {
    seed: 6007,
    why: 'alerts of a job that waited came in another order after a clock was set back',
  },
  { seed: 7002, why: 'a one-time job was called by a fast clock before its time' },
  {
    seed: 20_261_126,
    why: 'what a fast clock missed was taken back by a schedule that never was in force',
  },
  {
    seed: 910_022,
    plan: calendar,
    why: 'what a clock missed was taken back by a schedule of an earlier fast clock',
  },
  {
    seed: 8_107_013,
    plan: { ...dense, promptReports: 0, hasTheme: false },
    why: 'a due time that a fast clock had missed was called, and one run had made up for it',
  },
];
