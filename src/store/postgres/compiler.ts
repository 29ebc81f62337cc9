/** PostgreSQL's texts: kysely's compiler with the words of `either`. */

import { PostgresQueryCompiler, type RawNode } from 'kysely';
import { inPostgres } from '../database/either.ts';

export class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const own = inPostgres(node);
    if (own === node) super.visitRaw(node);
    else this.visitNode(own);
  }
}
