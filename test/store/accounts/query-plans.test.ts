/** The cost of sign-in: each statement uses its index, without a sort or a scan. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as instance from '../../../src/store/accounts/instance.ts';
import { findActiveKeyNamed, listKeysOf } from '../../../src/store/accounts/keys.ts';
import * as sessions from '../../../src/store/accounts/sessions.ts';
import * as codes from '../../../src/store/accounts/sign-in-codes.ts';
import { listWorkspacesOf } from '../../../src/store/accounts/workspaces.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

function search(table: string, index: string, condition: string): RegExp {
  return new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(${condition}\\)$`);
}

const byId = (table: string): RegExp => search(table, `sqlite_autoindex_${table}_1`, 'id=\\?');

test('a session is found by its hash, its id, its workspace or its key', async (t) => {
  assertPlan(await planOf(t, (db) => sessions.findActiveSession(db, 'x', 1)), [
    search('sessions', 'sqlite_autoindex_sessions_2', 'sha256=\\?'),
    byId('workspaces'),
    byId('accounts'),
  ]);
  assertPlan(await planOf(t, (db) => sessions.findSession(db, 's', 1)), [byId('sessions')]);
  const page = { now: 1, before: 'x', limit: 5 };
  assertPlan(await planOf(t, (db) => sessions.listSessions(db, { workspaceId: 'w' }, page)), [
    search('sessions', 'sessions_by_workspace', 'workspace_id=\\? AND id<\\?'),
  ]);
  assertPlan(await planOf(t, (db) => sessions.listSessions(db, { keyId: 'k' }, page)), [
    search('sessions', 'sessions_by_key', 'key_id=\\? AND id<\\?'),
  ]);
  assertPlan(await planOf(t, (db) => sessions.deleteSessionsOfKey(db, 'k')), [
    search('sessions', 'sessions_by_key', 'key_id=\\?'),
  ]);
});

test('a code is found by its hash', async (t) => {
  assertPlan(await planOf(t, (db) => codes.findCode(db, 'x', 1)), [
    search('sign_in_codes', 'sqlite_autoindex_sign_in_codes_1', 'sha256=\\?'),
    byId('workspaces'),
  ]);
  assertPlan(await planOf(t, (db) => codes.takeCode(db, 'x')), [
    search('sign_in_codes', 'sqlite_autoindex_sign_in_codes_1', 'sha256=\\?'),
  ]);
});

test('the keys of a workspace and the workspaces of an account are read in their order', async (t) => {
  const page = { before: 'x', limit: 5 };
  assertPlan(await planOf(t, (db) => listKeysOf(db, 'w', page)), [
    search('keys', 'keys_by_workspace', 'workspace_id=\\? AND id<\\?'),
  ]);
  const named = { workspaceId: 'w', name: 'ci', now: 0 };
  assertPlan(await planOf(t, (db) => findActiveKeyNamed(db, named)), [
    search('keys', 'keys_by_workspace', 'workspace_id=\\?'),
  ]);
  assertPlan(await planOf(t, (db) => listWorkspacesOf(db, 'a', 5)), [
    search('workspaces', 'workspaces_by_account', 'account_id=\\?'),
  ]);
  // One row.
  assert.deepEqual(await planOf(t, instance.findSiteUrl), ['SCAN instance']);
});
