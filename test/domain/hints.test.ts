/** What processes tell each other: bounded, and never wrong where it says less. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostChangedIds, type WorkspaceChange } from '../../src/domain/changes.ts';
import {
  anyHint,
  gatherHints,
  hintOf,
  mostEnded,
  mostWorkspaces,
  textOfHint,
} from '../../src/domain/hints.ts';
import type { Hint } from '../../src/domain/hints.ts';
import { newId } from '../../src/domain/id.ts';

const nothing = { jobs: [], runs: [], monitors: [], channels: [] };
const mostBytes = 7_900;

function gathered(...hints: Partial<Hint>[]): Hint | null {
  const all = gatherHints();
  for (const hint of hints) all.add(hint);
  return all.all();
}

/** The change of a workspace with so many ended runs. */
function changeOf(workspaceId: string, runs: number): WorkspaceChange {
  const status = 'success' as const;
  const many = Array.from({ length: runs }, () => ({ id: newId(0), jobId: newId(0), status }));
  return [workspaceId, { runs: many }];
}

test('what is told within a moment is one hint', () => {
  assert.deepEqual(
    gathered(
      { wakes: ['claim'], changes: [['w', { jobs: ['j'] }]] },
      { wakes: ['claim', 'notify'], changes: [['w', { jobs: ['j', 'i'] }]] },
      { changes: [['v', null]], ended: [{ actorId: 'k', reason: 'revoked' }] },
    ),
    {
      wakes: ['claim', 'notify'],
      changes: [
        ['w', { ...nothing, jobs: ['j', 'i'] }],
        ['v', null],
      ],
      ended: [{ actorId: 'k', reason: 'revoked' }],
    },
  );
  assert.equal(gathered(), null);
  assert.equal(gathered({ changes: [], ended: [] }), null);
});

test('too much to name is everything: of a workspace, and of all', () => {
  assert.deepEqual(gathered({ changes: [changeOf('w', mostChangedIds + 1)] })?.changes, [
    ['w', null],
  ]);
  const changes = Array.from({ length: mostWorkspaces + 1 }, () => changeOf(newId(0), 1));
  assert.equal(gathered({ changes })?.changes, null);
  assert.equal(gathered({ changes: null }, { changes: [['w', null]] })?.changes, null);
});

test('a hint is read as it was told', () => {
  const hint = gathered({ wakes: ['notify'], changes: [changeOf('w', 3)] }) ?? assert.fail();
  assert.deepEqual(hintOf(textOfHint(hint, mostBytes)), hint);
  assert.deepEqual(hintOf(textOfHint(anyHint, mostBytes)), anyHint);
});

test('workspaces where most changed lose their ids first', () => {
  const small = changeOf(newId(0), 1);
  const [middle, large] = [changeOf(newId(0), 40), changeOf(newId(0), 150)];
  const hint = gathered({ changes: [small, large, middle] }) ?? assert.fail();
  const { changes } = hintOf(textOfHint(hint, mostBytes));
  const told = new Map(changes);
  assert.equal(told.get(large[0]), null);
  assert.equal(told.get(middle[0])?.runs?.length, 40);
  assert.equal(told.get(small[0])?.runs?.length, 1);
});

test('the largest hint fits', () => {
  const changes = Array.from({ length: mostWorkspaces }, () => changeOf(newId(0), mostChangedIds));
  const ended = Array.from({ length: mostEnded + 5 }, () => ({
    actorId: newId(0),
    reason: 'other workspace' as const,
  }));
  const hint = gathered({ wakes: ['claim', 'notify'], changes, ended }) ?? assert.fail();
  const text = textOfHint(hint, mostBytes);
  assert.ok(text.length <= mostBytes, `${text.length}`);
  assert.deepEqual(
    new Set(hintOf(text).changes?.map(([id]) => id)),
    new Set(changes.map(([id]) => id)),
  );
});

test('what is not understood may mean anything', () => {
  const hint = { wakes: [], changes: [], ended: [] };
  const strange = [
    '',
    'null',
    '{',
    '{}',
    JSON.stringify({ ...hint, wakes: ['dance'] }),
    JSON.stringify({ ...hint, changes: [['w', { jobs: [] }]] }),
    JSON.stringify({ ...hint, changes: [['w', { ...nothing, runs: [{ id: 1 }] }]] }),
    JSON.stringify({ ...hint, ended: [{ actorId: 'k', reason: 'bored' }] }),
  ];
  for (const text of strange) assert.deepEqual(hintOf(text), anyHint, text);
});
