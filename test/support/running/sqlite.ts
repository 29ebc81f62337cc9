import { test, type TestContext } from 'node:test';
import { testServer } from '../postgres/database.ts';

type Work = (t: TestContext) => Promise<void>;

/** A test; where tests use PostgreSQL, there is none. Tests are named by the place that calls `test`, so this is it. */
export const sqliteTest: (name: string, work: Work) => unknown =
  testServer === undefined ? test : () => {};
