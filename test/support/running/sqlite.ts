import { test, type TestContext } from 'node:test';
import { testServer } from '../postgres/database.ts';

/** A test; where tests use PostgreSQL, there is none. */
export function sqliteTest(name: string, work: (t: TestContext) => Promise<void>): void {
  if (testServer === undefined) void test(name, work);
}
