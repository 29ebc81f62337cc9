/** Deleted monitors: each condition hides them. */

import {
  findMonitor,
  findPingedMonitors,
  listMonitors,
  markMonitorDeleted,
  markMonitorsDeleted,
} from '../../../src/store/monitors/monitors.ts';
import { findPinged, listPingHistories } from '../../../src/store/monitors/pings.ts';
import { changed, deleted, rowOf, testGuards } from '../../support/checks/guards.ts';

const isDeleted = deleted('monitors', 'monitor');
const page = { limit: 100, before: null, name: null, idPrefix: null };

testGuards({
  'a deleted monitor is not found': [(tx) => findMonitor(tx, 'w', 'monitor'), isDeleted],
  'nor listed': [(tx) => listMonitors(tx, 'w', page), isDeleted],
  'its ping URL is gone': [(tx) => findPinged(tx, 'ping'), isDeleted],
  'a ping that came before its deletion is not kept after it': [
    (tx) => findPingedMonitors(tx, ['monitor']),
    isDeleted,
  ],
  'its pings are not looked at for their age': [
    (tx) => listPingHistories(tx, { afterId: '', limit: 100 }),
    isDeleted,
  ],
  'it is deleted once': [
    async (tx) => {
      await markMonitorDeleted(tx, 'monitor', 2);
      return (await rowOf(tx, 'monitors', 'monitor'))['deleted_at'] === 2;
    },
    isDeleted,
  ],
  'the deletion of its workspace does not delete it again': [
    async (tx) => {
      await markMonitorsDeleted(tx, 'w', 2);
      return (await rowOf(tx, 'monitors', 'monitor'))['deleted_at'] === 2;
    },
    isDeleted,
    changed('monitors', 'monitor', { workspace_id: 'gone' }),
  ],
});
