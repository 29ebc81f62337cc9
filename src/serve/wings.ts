/** The optional features of this jobd, beside those of `local-wings.ts`. Without its line here and its folder, one is gone. */

import { badge } from '../wings/badge/wing.ts';
import { calls } from '../wings/calls/wing.ts';
import { definitions } from '../wings/definitions/wing.ts';
import { explain } from '../wings/explain/wing.ts';
import { figures } from '../wings/figures/wing.ts';
import { ledger } from '../wings/ledger/wing.ts';
import { readers } from '../wings/readers/wing.ts';
import { replay } from '../wings/replay/wing.ts';
import { report } from '../wings/report/wing.ts';
import { timetable } from '../wings/timetable/wing.ts';
import { windows } from '../wings/windows/wing.ts';
import { localWings } from './local-wings.ts';

const wings = [
  explain,
  figures,
  ledger,
  replay,
  calls,
  readers,
  definitions,
  timetable,
  windows,
  report,
  badge,
  ...localWings,
];

/** What they add. Nothing of it is loaded. */
export const addedByWings = {
  commands: wings.flatMap(({ commands = [] }) => commands),
  operations: wings.flatMap(({ operations = [] }) => operations),
  open: wings.flatMap(({ open = [] }) => open),
  daemon: wings.flatMap(({ daemon = [] }) => daemon),
  demo: wings.find(({ demo }) => demo !== undefined)?.demo,
  readCurl: wings.find(({ readCurl }) => readCurl !== undefined)?.readCurl,
};
