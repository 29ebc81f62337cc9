/** The optional features that are of use to a server alone. Without its line here and its folder, one is gone. */

import { register as backups } from '../wings/backups/register.ts';
import { register as move } from '../wings/move/register.ts';
import { register as spans } from '../wings/spans/register.ts';
import { register as upgrade } from '../wings/upgrade/register.ts';
import type { House } from './house.ts';

/** Each adds itself. */
export const localWings: readonly ((house: House) => void)[] = [backups, move, upgrade, spans];
