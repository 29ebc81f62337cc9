/** What health checks, backups, definitions and the removal of deleted rows leave out: each condition hides its row. */

import { countContents } from '../../../src/store/database/contents.ts';
import {
  countFailedDeliveries,
  countOverdueJobs,
  hasMailChannel,
  longestWaiting,
} from '../../../src/store/database/inspect.ts';
import {
  findManagedId,
  findManagedKeys,
  listManagedKeys,
} from '../../../src/store/database/managed-keys.ts';
import { findDeleted } from '../../../src/store/database/owned.ts';
import { admissionsIn } from '../../../src/store/postgres/admissions.ts';
import { findSealed } from '../../../src/store/secrets/sealed.ts';
import { changed, deleted, testGuards, type Guards } from '../../support/checks/guards.ts';
import { busyWith } from '../../support/records/rare-states.ts';
import { testServer } from '../../support/postgres/database.ts';

const dueDeleted = deleted('jobs', 'due');
const monitorDeleted = deleted('monitors', 'monitor');
const channelDeleted = deleted('channels', 'channel');
const firstOver = changed('deliveries', 'first', { status: 'delivered', next_attempt_at: null });

const managed = [
  ['jobs', 'due', dueDeleted],
  ['monitors', 'monitor', monitorDeleted],
  ['channels', 'channel', channelDeleted],
] as const;
const page = { limit: 100, before: null, isKeyNeeded: true };

const ofDefinitions: Guards = Object.fromEntries(
  managed.flatMap(([table, key, isDeleted]): [string, Guards[string]][] => [
    [
      `the key of a deleted row of ${table} is free`,
      [(tx) => findManagedId(tx, table, { workspaceId: 'w', key }), isDeleted],
    ],
    [
      `deleted rows of ${table} have no key`,
      [(tx) => findManagedKeys(tx, table, { workspaceId: 'w', ids: [key] }), isDeleted],
    ],
    [
      `deleted rows of ${table} are not managed`,
      [(tx) => listManagedKeys(tx, table, 'w', page), isDeleted],
    ],
  ]),
);

/** Where a server counts the requests of keys. */
const ofServer: Guards = {
  'requests of a key count until it is revoked, it expires or its workspace is deleted': [
    (tx) => admissionsIn(tx).admit([{ sha256: 'key', requests: 1 }], 1),
    changed('keys', 'key', { revoked_at: 1 }),
    changed('keys', 'key', { expires_at: 1 }),
    deleted('workspaces', 'w'),
  ],
};

testGuards({
  ...ofDefinitions,
  ...(testServer === undefined ? {} : ofServer),
  'deleted jobs are no contents': [async (tx) => (await countContents(tx)).jobs === 11, dueDeleted],
  'deleted monitors are no contents': [
    async (tx) => (await countContents(tx)).monitors,
    monitorDeleted,
  ],
  'revoked keys are no contents': [
    async (tx) => (await countContents(tx)).keys,
    changed('keys', 'key', { revoked_at: 1 }),
  ],
  'a job whose run is under way is not overdue': [
    (tx) => countOverdueJobs(tx, 2),
    changed('jobs', 'due', busyWith('another')),
  ],
  'a delivery has failed if it was given up': [
    (tx) => countFailedDeliveries(tx, 'alerts', 0),
    changed('deliveries', 'refused', { status: 'delivered' }),
  ],
  'a result is not among the alerts that failed': [
    (tx) => countFailedDeliveries(tx, 'alerts', 0),
    changed('deliveries', 'refused', { event: 'run.finished' }),
  ],
  'an alert waits unless it is over, its queue has ended or its channel was deleted': [
    async (tx) => (await longestWaiting(tx, 'alerts', 2))?.count === 2,
    firstOver,
    changed('deliveries', 'first', { queue: 1 }),
    channelDeleted,
  ],
  'mail is needed for a channel that is on': [
    hasMailChannel,
    changed('channels', 'channel', { enabled: 0 }),
  ],
  'only a deleted row is removed': [
    (tx) => findDeleted(tx, 'workspaces'),
    changed('workspaces', 'gone', { deleted_at: null }),
  ],
  'a lost secret of a deleted channel concerns nobody': [
    async (tx) => {
      const values = await findSealed(tx, 'channels', { afterId: '', limit: 10 }, '-');
      return values.find(({ id }) => id === 'channel')?.isDeleted === 0;
    },
    channelDeleted,
  ],
});
