/**
 * Names of frequent statements, which each connection prepares once. PgBouncer may lend another connection of the server to
 * each transaction: then a name may be unknown, or be there already. A name says the text of its statement, so that it never
 * stands for another one, whoever prepared it.
 */

import { createHash } from 'node:crypto';

const known = new Map<string, string>();

/** Whether statements have names, on the connections of one pool. */
export class Names {
  #areUsed = true;

  /** Whether statements still have names. */
  get areUsed(): boolean {
    return this.#areUsed;
  }

  /** The name of a statement; undefined if it is to have none. */
  of(sql: string): string | undefined {
    if (!this.#areUsed) return undefined;
    const name = known.get(sql) ?? createHash('sha256').update(sql).digest('base64url');
    known.set(sql, name);
    return name;
  }

  /** From now on no statement has a name: connections do not keep them. */
  giveUp(): void {
    this.#areUsed = false;
  }
}
