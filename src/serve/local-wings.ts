/** The optional features that are of use to a server alone. Without its line here and its folder, one is gone. */

import { backups } from '../wings/backups/wing.ts';
import { demo } from '../wings/demo/wing.ts';
import { move } from '../wings/move/wing.ts';
import { tracing } from '../wings/tracing/wing.ts';
import { upgrade } from '../wings/upgrade/wing.ts';
import type { Wing } from './house.ts';

/** The wings that work on the data of this machine. */
export const localWings: readonly Wing[] = [backups, move, upgrade, tracing, demo];
