/** Changes of accounts in the audit trail (docs/behavior.md#audit-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as accounts from '../../../src/app/accounts/accounts.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { workspacesTold } from '../../../src/domain/accounts/audit.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { temporaryDirectory } from '../../support/directory.ts';

test('a change of an account has an entry in its oldest workspaces, and in no other', async (t) => {
  await using local = await openTestLocal(temporaryDirectory(t));
  const account = 'acme';
  await accounts.createAccount(local, { name: account, plan: 'pro', trialDays: null });
  for (let count = 0; count <= workspacesTold; count += 1) {
    await createWorkspace(local, { name: `w${count}`, account });
  }
  await accounts.setPlan(local, account, 'business');
  await accounts.setPlan(local, account, 'business');
  await accounts.setTrial(local, account, Date.now() + 1_000_000);
  await accounts.subscribe(local, account, null);
  await accounts.cancel(local, account);
  const entries = await local.store.db
    .selectFrom('audit_entries')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['workspaces.name', 'actor_type', 'subject_name', 'fields', 'count'])
    .where('action', '=', 'account.update')
    .orderBy('number')
    .execute();
  const told = Map.groupBy(entries, ({ name }) => name);
  assert.equal(told.size, workspacesTold);
  assert.ok(!told.has(`w${workspacesTold}`) && !told.has('default'));
  const actual = told.get('w0')?.map((entry) => Object.values(entry).slice(1).join(' '));
  assert.deepEqual(actual, [
    'command acme plan 1',
    'command acme expiresAt trialEndsAt 2',
    'command acme expiresAt 1',
  ]);
});
