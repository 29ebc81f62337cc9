/** The sections of a definition file, in the order in which they are applied. */

import { channelKind } from './channel-kind.ts';
import { jobKind } from './job-kind.ts';
import type { FileKind } from './kind.ts';
import { monitorKind } from './monitor-kind.ts';

/** Channels come last: they name jobs and monitors by their keys. */
export const fileKinds: readonly FileKind[] = [jobKind, monitorKind, channelKind];
