/** The optional features of this jobd, beside those of `local-wings.ts`. Without its line here and its folder, one is gone. */

import { register as definitions } from '../wings/definitions/register.ts';
import { register as explain } from '../wings/explain/register.ts';
import { register as ledger } from '../wings/ledger/register.ts';
import { register as readers } from '../wings/readers/register.ts';
import type { ReadCurl } from '../cli/context.ts';
import { localWings } from './local-wings.ts';
import type { AddOperations, CommandFile, TakePart } from './house.ts';

const registers = [explain, ledger, readers, definitions, ...localWings];

/** What the wings have added. */
export interface Additions {
  readonly commands: readonly CommandFile[];
  readonly operations: readonly (() => Promise<AddOperations>)[];
  readonly daemon: readonly (() => Promise<TakePart>)[];
  readonly readCurl: ReadCurl | undefined;
}

function askWings(): Additions {
  const commands: CommandFile[] = [];
  const operations: (() => Promise<AddOperations>)[] = [];
  const daemon: (() => Promise<TakePart>)[] = [];
  let readCurl: ReadCurl | undefined;
  for (const register of registers) {
    register({
      commands: (file) => void commands.push(file),
      operations: (load) => void operations.push(load),
      daemon: (load) => void daemon.push(load),
      curl: (read) => void (readCurl = read),
    });
  }
  return { commands, operations, daemon, readCurl };
}

/** What they add. Nothing of it is loaded. */
export const addedByWings = askWings();
