/** What a history is made of: each seed takes some of the faults, and of each more or less. */

import type { World } from './world.ts';

export interface Plan {
  nodes: number;
  slots: number;
  slotsPerHost: number;
  jobs: number;
  /** How long the part with faults lasts, in milliseconds. */
  lengthMs: number;
  /** The most that a use of the database takes. */
  storeMs: number;
  connectMs: number;
  /** Results that the account keeps. */
  results: number;
  /** Shares of what happens, from 0 to 1. */
  lostHints: number;
  hooksThatAnswer: number;
  /** Of the targets that answer 202: they report while they do. */
  promptReports: number;
  /** Mean times between disturbances and between requests of people, in milliseconds. */
  faultEveryMs: number;
  askEveryMs: number;
  faults: readonly FaultKind[];
  /** Whether people delete jobs: then some of what was gathered of them is reported to nobody. */
  hasDeletions: boolean;
  /** Whether people hold jobs. */
  hasHolds: boolean;
  /** Whether people mute jobs. */
  hasMutes: boolean;
  /** The share of the jobs on a schedule that make up for what they missed. */
  makeUps: number;
  /** Whether jobs delete themselves: then nothing disturbs for as long as a clock has to be steady before. */
  hasSpent: boolean;
  /** Whether the history has a theme. */
  hasTheme: boolean;
  theme: Theme | null;
  /** Disturbances and requests that are left out, by their numbers: all others are as they were. */
  without: { faults: readonly number[]; asks: readonly number[]; jobs: readonly number[] };
}

/** What disturbs a node, or all of them. */
export const faultKinds = [
  'kill',
  'strike',
  'doubt',
  'error',
  'freeze',
  'cut',
  'full',
  'stop',
  'clock',
  'stall',
  'expiry',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What people ask for. */
export const askKinds = [
  'hold',
  'mute',
  'create',
  'edit',
  'pause',
  'resume',
  'run',
  'replay',
  'actions',
  'delete',
  'endWait',
] as const;
export type AskKind = (typeof askKinds)[number];

/**
 * What a history prefers, so that what is rare meets all else in the end (swarm testing): half of its disturbances and requests are of
 * these kinds, and its jobs miss due times that are made up for.
 */
export interface Theme {
  faults: readonly FaultKind[];
  asks: readonly AskKind[];
  /** Whether its jobs delete themselves as soon as they may. */
  isSpent: boolean;
}

/** The theme of a seed. */
export function themed(world: World): Partial<Plan> {
  const dice = world.dice('theme');
  const some = <T>(of: readonly T[]): T[] => [dice.pick(of), dice.pick(of)];
  const [faults, asks] = [some(faultKinds), some(askKinds)];
  if (!dice.chance(0.4)) return { theme: { faults, asks, isSpent: false } };
  // Such jobs are made all the time, so that some delete themselves when the faults begin.
  return { theme: { faults, asks: [...asks, 'create'], isSpent: true }, hasSpent: true };
}

/** What brings many mechanisms together, two at a time: all faults, often, and many people. */
export const dense: Partial<Plan> = {
  nodes: 2,
  jobs: 20,
  faults: faultKinds,
  faultEveryMs: 3_000,
  askEveryMs: 300,
  hasDeletions: true,
  hasHolds: true,
  hasMutes: true,
  makeUps: 0.8,
  promptReports: 0.5,
  hasTheme: true,
};

/** Without what came later: a seed has the history that it had before. */
export const earlier: Partial<Plan> = {
  hasHolds: false,
  hasMutes: false,
  hasSpent: false,
  makeUps: 0.2,
  promptReports: 0,
  hasTheme: false,
};

/** More than any history has. */
const endless = 1_000_000;

/** The plan of a seed. */
export function planOf(world: World): Plan {
  const dice = world.dice('plan');
  // Rules about times hold where nothing disturbs, and nobody waits for a slot.
  const isCalm = dice.chance(0.2);
  const nodes = isCalm ? 1 : dice.pick([1, 2, 3]);
  const share = isCalm ? 0 : dice.pick([0.3, 0.6, 1]);
  const faults = faultKinds.filter((kind) => dice.chance(share) && (nodes > 1 || kind !== 'cut'));
  return {
    nodes,
    slots: isCalm ? 64 : dice.pick([2, 8, 64]),
    slotsPerHost: isCalm ? 64 : dice.pick([2, 64]),
    jobs: dice.between(3, 20),
    lengthMs: dice.pick([2, 4, 8]) * 60_000,
    storeMs: dice.pick([0, 1, 5]),
    connectMs: dice.pick([0, 50, 1_500]),
    results: dice.pick([endless, endless, 20]),
    lostHints: dice.pick([0, 0.1, 1]),
    hooksThatAnswer: dice.pick([1, 0.8, 0.4]),
    faultEveryMs: dice.pick([5_000, 20_000, 60_000]),
    askEveryMs: dice.pick([300, 2_000, 10_000]),
    faults,
    hasDeletions: dice.chance(0.5),
    hasHolds: dice.chance(0.5),
    hasMutes: dice.chance(0.5),
    hasSpent: dice.chance(0.25),
    makeUps: dice.pick([0.2, 0.8]),
    promptReports: dice.pick([0, 0.5]),
    hasTheme: false,
    theme: null,
    without: { faults: [], asks: [], jobs: [] },
  };
}
