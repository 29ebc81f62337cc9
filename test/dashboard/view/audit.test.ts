import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../../src/api/accounts/contract.ts';
import {
  changesTo,
  auditPath,
  auditSubjects,
  subjectPlace,
  subjectType,
} from '../../../src/dashboard/view/audit.ts';
import { didWords } from '../../../src/domain/accounts/audit-words.ts';
import { auditActions, auditActionWords } from '../../../src/domain/accounts/audit.ts';

const entry: AuditEntry = {
  number: 7,
  at: '2026-11-22T06:41:12.000Z',
  actor: { type: 'key', id: 'k', name: 'deploy' },
  address: '203.0.113.7',
  forwardedFor: null,
  count: 1,
  action: 'job.update',
  subject: { id: 's', name: 'Nightly backup' },
  fields: ['url'],
};

test('every action has words, and every type of subject a filter', () => {
  for (const action of auditActions) {
    assert.match(didWords({ ...entry, action }).words, /^(?!undefined)\w+ /, action);
  }
  const types = auditActionWords.filter((word) => !word.includes('.'));
  assert.deepEqual(Object.keys(auditSubjects), types);
});

test('signing in and out is said without a name twice', () => {
  assert.deepEqual(didWords(entry), { words: 'changed the job', isNamed: true });
  assert.deepEqual(didWords({ ...entry, action: 'session.start' }), {
    words: 'signed in',
    isNamed: false,
  });
  const ended = { ...entry, action: 'session.end' } as const;
  assert.deepEqual(didWords(ended), { words: 'ended the session of', isNamed: true });
  assert.deepEqual(didWords({ ...ended, subject: { id: 'k' } }), {
    words: 'signed out',
    isNamed: false,
  });
});

test('what has a page is linked, unless it was deleted', () => {
  for (const action of auditActions) {
    const hasPage = ['job', 'monitor', 'channel'].includes(subjectType({ action }));
    assert.equal(
      subjectPlace({ ...entry, action }) !== null,
      hasPage && !action.endsWith('.delete'),
      action,
    );
  }
  assert.equal(subjectPlace({ ...entry, action: 'channel.test' }), '/channels/s');
  const ended = { ...entry, action: 'job.report', runId: 'r' } as const;
  assert.equal(subjectPlace(ended), '/jobs/s/runs/r', 'the page of its run');
});

const pathOf = (text: string): string => auditPath(new URLSearchParams(text));

test('the changes to one job are what its page asks the API for', () => {
  const asked = new URL(changesTo('a&b'), 'http://jobd.test').searchParams;
  assert.equal(auditPath(asked), '/audit?limit=50&subject=a%26b');
});

test('only filters get from the address to the API', () => {
  assert.equal(pathOf(''), '/audit?limit=50');
  assert.equal(pathOf('action=job&x=1&cursor=y&subject='), '/audit?limit=50&action=job');
  assert.equal(pathOf('actor=a%26b&subject=s'), '/audit?limit=50&subject=s&actor=a%26b');
});
