/** The operations of the API that are fuzzed, with a hostile body and query for each that takes one. */

import type * as fc from '../fast-check.ts';
import { hostileChannelInput, hostileChannelUpdate } from './hostile-channel.ts';
import {
  hostileActions,
  hostileCommand,
  hostileCopy,
  hostileDefinitions,
  hostileEndOfWait,
  hostileJobInput,
  hostileJobUpdate,
  hostileMonitorInput,
  hostileMonitorUpdate,
  hostilePreviewInput,
} from './hostile-job.ts';
import { hostileKeyInput, hostileMove, hostileSignIn } from './hostile-sign-in.ts';
import { hostileOverviewQuery } from './hostile.ts';

/** An operation of the API; a path names its ids `:id`, `:runId`, `:monitorId`, `:channelId` and `:deliveryId`. */
export interface Operation {
  operation: string;
  method: string;
  path: string;
  /** The status of success; every other must be a documented error. */
  success: number;
  query?: fc.Arbitrary<string>;
  body?: fc.Arbitrary<string | Buffer>;
  /** Only a session of the owner may do it. */
  asOwner?: true;
}

/** Every operation on jobs, runs and receipts, and the extensions that take input. */
export const operations: readonly Operation[] = [
  { operation: 'listJobs', method: 'GET', path: '/jobs', success: 200 },
  {
    operation: 'createJob',
    method: 'POST',
    path: '/jobs',
    success: 201,
    body: hostileJobInput,
  },
  { operation: 'getJob', method: 'GET', path: '/jobs/:id', success: 200 },
  {
    operation: 'updateJob',
    method: 'PATCH',
    path: '/jobs/:id',
    success: 200,
    body: hostileJobUpdate,
  },
  { operation: 'deleteJob', method: 'DELETE', path: '/jobs/:id', success: 200 },
  { operation: 'runJob', method: 'POST', path: '/jobs/:id/run', success: 202 },
  { operation: 'listRuns', method: 'GET', path: '/jobs/:id/runs', success: 200 },
  { operation: 'getRun', method: 'GET', path: '/jobs/:id/runs/:runId', success: 200 },
  {
    operation: 'completeRun',
    method: 'POST',
    path: '/jobs/:id/runs/:runId/completion',
    // No run of these jobs waits for a report.
    success: 409,
    body: hostileEndOfWait,
  },
  { operation: 'listHistory', method: 'GET', path: '/jobs/:id/history', success: 200 },
  { operation: 'getDays', method: 'GET', path: '/jobs/:id/days', success: 200 },
  { operation: 'getJobChain', method: 'GET', path: '/jobs/:id/chain', success: 200 },
  { operation: 'listCallbacks', method: 'GET', path: '/jobs/:id/callbacks', success: 200 },
  { operation: 'getDueTimes', method: 'GET', path: '/jobs/:id/due-times', success: 200 },
  { operation: 'explainJob', method: 'GET', path: '/jobs/:id/explanation', success: 200 },
  {
    operation: 'copyJob',
    method: 'POST',
    path: '/jobs/:id/copy',
    success: 201,
    body: hostileCopy,
  },
  {
    operation: 'actOnJobs',
    method: 'POST',
    path: '/jobs/actions',
    success: 200,
    body: hostileActions,
  },
  {
    operation: 'readCommand',
    method: 'POST',
    path: '/jobs/read-command',
    success: 200,
    body: hostileCommand,
  },
  { operation: 'getReceipt', method: 'GET', path: '/jobs/:id/runs/:runId/receipt', success: 200 },
  { operation: 'getReceiptKey', method: 'GET', path: '/receipts/key', success: 200 },
  { operation: 'listAudit', method: 'GET', path: '/audit', success: 200 },
  { operation: 'listManagedJobs', method: 'GET', path: '/managed-jobs', success: 200 },
  {
    operation: 'applyJobDefinitions',
    method: 'POST',
    path: '/managed-jobs',
    success: 200,
    body: hostileDefinitions('job', hostileJobInput),
  },
  { operation: 'listManagedMonitors', method: 'GET', path: '/managed-monitors', success: 200 },
  {
    operation: 'applyMonitorDefinitions',
    method: 'POST',
    path: '/managed-monitors',
    success: 200,
    body: hostileDefinitions('monitor', hostileMonitorInput),
  },
  { operation: 'listManagedChannels', method: 'GET', path: '/managed-channels', success: 200 },
  {
    operation: 'applyChannelDefinitions',
    method: 'POST',
    path: '/managed-channels',
    success: 200,
    body: hostileDefinitions('channel', hostileChannelInput),
  },
  { operation: 'listMonitors', method: 'GET', path: '/monitors', success: 200 },
  {
    operation: 'createMonitor',
    method: 'POST',
    path: '/monitors',
    success: 201,
    body: hostileMonitorInput,
  },
  { operation: 'getMonitor', method: 'GET', path: '/monitors/:monitorId', success: 200 },
  {
    operation: 'updateMonitor',
    method: 'PATCH',
    path: '/monitors/:monitorId',
    success: 200,
    body: hostileMonitorUpdate,
  },
  { operation: 'deleteMonitor', method: 'DELETE', path: '/monitors/:monitorId', success: 200 },
  { operation: 'listPings', method: 'GET', path: '/monitors/:monitorId/pings', success: 200 },
  { operation: 'listLedger', method: 'GET', path: '/ledger', success: 200 },
  { operation: 'getOverview', method: 'GET', path: '/overview', success: 200 },
  {
    operation: 'listOverviewJobs',
    method: 'GET',
    path: '/overview/jobs',
    success: 200,
    query: hostileOverviewQuery,
  },
  { operation: 'getOverviewJob', method: 'GET', path: '/overview/jobs/:id', success: 200 },
  {
    operation: 'listOverviewMonitors',
    method: 'GET',
    path: '/overview/monitors',
    success: 200,
    query: hostileOverviewQuery,
  },
  { operation: 'listAllRuns', method: 'GET', path: '/runs', success: 200 },
  { operation: 'listChannels', method: 'GET', path: '/channels', success: 200 },
  {
    operation: 'createChannel',
    method: 'POST',
    path: '/channels',
    success: 201,
    body: hostileChannelInput,
  },
  { operation: 'getChannel', method: 'GET', path: '/channels/:channelId', success: 200 },
  {
    operation: 'updateChannel',
    method: 'PATCH',
    path: '/channels/:channelId',
    success: 200,
    body: hostileChannelUpdate,
  },
  { operation: 'deleteChannel', method: 'DELETE', path: '/channels/:channelId', success: 200 },
  { operation: 'testChannel', method: 'POST', path: '/channels/:channelId/test', success: 202 },
  {
    operation: 'listDeliveries',
    method: 'GET',
    path: '/channels/:channelId/deliveries',
    success: 200,
  },
  {
    operation: 'getDelivery',
    method: 'GET',
    path: '/channels/:channelId/deliveries/:deliveryId',
    success: 200,
  },
  { operation: 'listAllDeliveries', method: 'GET', path: '/deliveries', success: 200 },
  {
    operation: 'previewSchedule',
    method: 'POST',
    path: '/schedule/preview',
    success: 200,
    body: hostilePreviewInput,
  },
  { operation: 'getEvents', method: 'GET', path: '/events', success: 200 },
  { operation: 'signIn', method: 'POST', path: '/session', success: 201, body: hostileSignIn },
  { operation: 'getSession', method: 'GET', path: '/session', success: 200, asOwner: true },
  {
    operation: 'moveSession',
    method: 'PATCH',
    path: '/session',
    success: 200,
    body: hostileMove,
    asOwner: true,
  },
  { operation: 'listSessions', method: 'GET', path: '/sessions', success: 200 },
  { operation: 'listKeys', method: 'GET', path: '/keys', success: 200, asOwner: true },
  {
    operation: 'createKey',
    method: 'POST',
    path: '/keys',
    success: 201,
    body: hostileKeyInput,
    asOwner: true,
  },
  { operation: 'getAbout', method: 'GET', path: '/about', success: 200, asOwner: true },
];
