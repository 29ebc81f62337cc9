/** The optional features of this jobd. Without its line here and its folder, one is gone. */

import { register as backups } from '../wings/backups/register.ts';
import { register as definitions } from '../wings/definitions/register.ts';
import { register as explain } from '../wings/explain/register.ts';
import { register as ledger } from '../wings/ledger/register.ts';
import { register as move } from '../wings/move/register.ts';
import { register as readers } from '../wings/readers/register.ts';
import { register as spans } from '../wings/spans/register.ts';
import { register as upgrade } from '../wings/upgrade/register.ts';
import type { ReadCurl } from '../cli/context.ts';
import type { AddOperations, CommandFile, TakePart } from './house.ts';

const registers = [explain, ledger, readers, definitions, backups, move, upgrade, spans];

/** What the wings have added. */
export interface Additions {
  readonly commands: readonly CommandFile[];
  readonly operations: readonly (() => Promise<AddOperations>)[];
  readonly daemon: readonly (() => Promise<TakePart>)[];
  readonly readCurl: ReadCurl | undefined;
}

/** Asks every wing what it adds. Nothing of it is loaded. */
export function addedByWings(): Additions {
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
