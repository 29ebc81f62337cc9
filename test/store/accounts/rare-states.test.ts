/** Workspaces that are deleted, keys that are revoked and accounts that stopped or resume: each condition hides its row. */

import { hasAccess } from '../../../src/store/accounts/access.ts';
import { findAccountOf } from '../../../src/store/accounts/accounts.ts';
import {
  beginResuming,
  endResuming,
  findAccountToResume,
  findTerms,
} from '../../../src/store/accounts/expiry.ts';
import { summarize } from '../../../src/store/accounts/instance.ts';
import {
  findActiveKey,
  findActiveKeyNamed,
  listKeys,
  revokeKey,
} from '../../../src/store/accounts/keys.ts';
import { findActiveSession, listAllSessions } from '../../../src/store/accounts/sessions.ts';
import { findCode } from '../../../src/store/accounts/sign-in-codes.ts';
import { countActiveKeys, countResults, usageOf } from '../../../src/store/accounts/usage.ts';
import {
  findDeletedWorkspace,
  findWorkspace,
  findWorkspaceName,
  findWorkspacesOf,
  listWorkspaces,
  listWorkspacesOf,
  markWorkspaceDeleted,
  removeDeletedWorkspace,
} from '../../../src/store/accounts/workspaces.ts';
import { changed, deleted, rowOf, runBecame, testGuards } from '../../support/checks/guards.ts';
import { busyWith } from '../../support/records/rare-states.ts';

const isDeleted = deleted('workspaces', 'w');
const isRevoked = changed('keys', 'key', { revoked_at: 1 });
const isExpired = changed('keys', 'key', { expires_at: 1 });
const page = { afterId: '', limit: 100 };

testGuards({
  'a key that was not revoked lets people in': [
    async (tx) => {
      await tx.deleteFrom('sessions').execute();
      return await hasAccess(tx);
    },
    isRevoked,
  ],
  'a key is valid until it is revoked, it expires or its workspace is deleted': [
    (tx) => findActiveKey(tx, 'key', 1),
    isRevoked,
    isExpired,
    isDeleted,
  ],
  'a name of a key is free once the key is revoked or expired': [
    (tx) => findActiveKeyNamed(tx, { workspaceId: 'w', name: 'key', now: 1 }),
    isRevoked,
    isExpired,
  ],
  'keys of a deleted workspace are not listed': [listKeys, isDeleted],
  'a key is revoked once': [(tx) => revokeKey(tx, 'key', 2), isRevoked],
  'a key that is revoked or expired does not count': [
    (tx) => countActiveKeys(tx, 'a', 1),
    isRevoked,
    isExpired,
  ],
  'a session is valid until it ends or its workspace is deleted': [
    (tx) => findActiveSession(tx, 'session', 1),
    isDeleted,
    changed('sessions', 'session', { expires_at: 1 }),
  ],
  'sessions of a deleted workspace are not listed': [(tx) => listAllSessions(tx, 1), isDeleted],
  'a code is valid until it expires or its workspace is deleted': [
    (tx) => findCode(tx, 'code', 1),
    isDeleted,
    changed('sign_in_codes', 'code', { expires_at: 1 }, 'sha256'),
  ],

  'a deleted workspace has no account': [(tx) => findAccountOf(tx, 'w'), isDeleted],
  'its name is not found': [(tx) => findWorkspace(tx, 'w'), isDeleted],
  'nor its id': [(tx) => findWorkspaceName(tx, 'w'), isDeleted],
  'it is not among the workspaces of its account': [
    (tx) => findWorkspacesOf(tx, 'a', page),
    isDeleted,
  ],
  'nor listed there': [(tx) => listWorkspacesOf(tx, 'a', 10), isDeleted],
  'nor listed at all': [listWorkspaces, isDeleted],
  'the log names no workspace while all others are deleted': [
    async (tx) => (await findTerms(tx, ['w'])).get('w')?.workspace === null,
    changed('workspaces', 'gone', { deleted_at: null }),
  ],

  'a deletion leaves the time at which a key was revoked': [
    async (tx) => {
      await markWorkspaceDeleted(tx, 'w', 2);
      return (await rowOf(tx, 'keys', 'key'))['revoked_at'] === 2;
    },
    isRevoked,
  ],
  'a deletion drops a run that waits, and no other': [
    async (tx) => {
      await markWorkspaceDeleted(tx, 'w', 2);
      return (await rowOf(tx, 'runs', 'queued'))['id'] === undefined;
    },
    runBecame('queued', 'running'),
    runBecame('queued', 'success'),
  ],
  'a deletion deletes a job whose run is not under way, once': [
    async (tx) => {
      await markWorkspaceDeleted(tx, 'w', 2);
      return (await rowOf(tx, 'jobs', 'due'))['deleted_at'] === 2;
    },
    changed('jobs', 'due', busyWith('another')),
    deleted('jobs', 'due'),
  ],
  'a deleted workspace is removed once no call of its jobs is in flight': [
    findDeletedWorkspace,
    changed('runs', 'left', { http_status: null }),
    changed('workspaces', 'gone', { deleted_at: null }),
  ],
  'the job of a wait is deleted with its workspace, once': [
    async (tx) => {
      await removeDeletedWorkspace(tx, 'gone', { now: 2, limit: 10 });
      return (await rowOf(tx, 'jobs', 'left'))['deleted_at'] === 2;
    },
    changed('runs', 'left', { http_status: null }),
  ],

  'deleted jobs do not count towards the quota': [
    async (tx) => (await usageOf(tx, 'a')).jobs === 11,
    deleted('jobs', 'due'),
  ],
  'deleted monitors do not count towards the quota': [
    async (tx) => (await usageOf(tx, 'a')).monitors,
    deleted('monitors', 'monitor'),
  ],
  'results of deleted jobs do not count': [
    (tx) => countResults(tx, 'a'),
    deleted('jobs', 'leader'),
  ],
  'a start says how many jobs there are that are not deleted': [
    async (tx) => (await summarize(tx, 1)).jobs === 11,
    deleted('jobs', 'due'),
  ],
  'a start says how many monitors there are that are not deleted': [
    async (tx) => (await summarize(tx, 1)).monitors,
    deleted('monitors', 'monitor'),
  ],

  'an account resumes if its jobs have lost their due times and it is paid for': [
    (tx) => findAccountToResume(tx, 2),
    changed('accounts', 'a', { schedules: 'on' }),
    changed('accounts', 'a', { expires_at: 2 }),
  ],
  'an account whose jobs have due times does not begin to resume': [
    async (tx) => {
      await beginResuming(tx, 'a');
      return (await rowOf(tx, 'accounts', 'a'))['schedules'] === 'resuming';
    },
    changed('accounts', 'a', { schedules: 'on' }),
  ],
  'an account that expires while it resumes stays off': [
    async (tx) => {
      await endResuming(tx, 'a');
      return (await rowOf(tx, 'accounts', 'a'))['schedules'] === 'on';
    },
    changed('accounts', 'a', { schedules: 'off' }),
  ],
});
