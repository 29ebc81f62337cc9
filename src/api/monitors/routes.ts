import { withWindows } from '../../app/accounts/windows.ts';
import type { MonitorsApp, Principal } from '../../app/app.ts';
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitors,
  listPings,
  updateMonitor,
} from '../../app/monitors/monitors.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { badPeriod, describe, notPaid } from '../description/operation.ts';
import { labelledRequest, LabelledQuery, Ok, pageRequest, PageQuery } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../http/repeatable.ts';
import {
  MonitorInput,
  MonitorList,
  MonitorPath,
  MonitorResponse,
  MonitorUpdate,
  PingList,
} from './contract.ts';
import { changedMonitor, createdMonitor } from './examples.ts';
import { monitorShape, pingShape } from './shape.ts';

const operations = describe(
  { tag: 'Monitors', noun: 'monitor', isExtension: true },
  {
    listMonitors: {
      summary: 'List monitors',
      description: 'Returns the monitors of the workspace, newest first.',
      querystring: LabelledQuery,
      response: { 200: MonitorList },
      answer: 'A page of monitors.',
    },
    createMonitor: {
      summary: 'Create a monitor',
      description:
        'Only `name` is required; such a monitor expects a ping every hour. No ping is expected before the first one.',
      headers: RepeatableHeaders,
      body: MonitorInput,
      response: { 201: MonitorResponse },
      answer: 'The monitor, with the URL to ping.',
      answerExample: { monitor: createdMonitor },
      failures: {
        400: badPeriod,
        402: notPaid,
        403: 'The key may only read, or the plan does not allow another monitor or this interval.',
        409: usedKey,
      },
    },
    getMonitor: {
      summary: 'Get a monitor',
      description: 'Returns the monitor: its settings, its state and the last ping.',
      params: MonitorPath,
      response: { 200: MonitorResponse },
      answer: 'The monitor.',
    },
    updateMonitor: {
      summary: 'Change, pause or resume a monitor',
      description:
        'Only the given fields change. After a change of the schedule, or when the monitor is resumed, the next ping is ' +
        'expected from now on. Pings to a paused monitor are kept.',
      params: MonitorPath,
      body: MonitorUpdate,
      response: { 200: MonitorResponse },
      answer: 'The monitor after the change.',
      answerExample: { monitor: changedMonitor },
      failures: {
        400: badPeriod,
        402: notPaid,
        403: 'The key may only read, or the plan does not allow this interval.',
      },
    },
    deleteMonitor: {
      summary: 'Delete a monitor',
      description: 'Deletes the monitor and all its pings. Its ping URL stops working.',
      params: MonitorPath,
      response: { 200: Ok },
      answer: 'The monitor is deleted.',
    },
    listPings: {
      summary: 'List pings of a monitor',
      description: 'Returns the kept pings of a monitor, newest first: at least the last 1,000.',
      params: MonitorPath,
      querystring: PageQuery,
      response: { 200: PingList },
      answer: 'A page of pings.',
    },
  },
);

/** Adds the routes; `siteUrl` returns the absolute URL of the site, without a trailing slash. */
export function monitorRoutes(server: ApiServer, app: MonitorsApp, siteUrl: () => string): void {
  const shape = (monitor: Monitor, { permission }: Principal) =>
    monitorShape(monitor, { siteUrl: siteUrl(), permission, now: app.clock.now() });
  const allShown = async (items: readonly Monitor[], principal: Principal) => {
    const shapes = items.map((monitor) => shape(monitor, principal));
    return await withWindows(app, principal, shapes);
  };
  const shown = async (monitor: Monitor, principal: Principal) => {
    const [only = shape(monitor, principal)] = await allShown([monitor], principal);
    return only;
  };

  server.get('/monitors', operations.listMonitors, async ({ principal, query }) => {
    const { items, nextCursor } = await listMonitors(app, principal, labelledRequest(query));
    return { monitors: await allShown(items, principal), nextCursor };
  });

  server.post('/monitors', operations.createMonitor, async (request, reply) => {
    const { principal, body } = request;
    const monitor = await createMonitor(app, principal, body, repeatableOf(request));
    const answer = { monitor: await shown(monitor, principal) };
    return reply.code(201).at(`/monitors/${monitor.id}`).send(answer);
  });

  server.get('/monitors/:id', operations.getMonitor, async ({ principal, params }) => ({
    monitor: await shown(await getMonitor(app, principal, params.id), principal),
  }));

  server.patch('/monitors/:id', operations.updateMonitor, async ({ principal, params, body }) => ({
    monitor: await shown(await updateMonitor(app, principal, params.id, body), principal),
  }));

  server.delete('/monitors/:id', operations.deleteMonitor, async ({ principal, params }) => {
    await deleteMonitor(app, principal, params.id);
    return { ok: true };
  });

  server.get('/monitors/:id/pings', operations.listPings, async ({ principal, params, query }) => {
    const found = await listPings(app, principal, params.id, pageRequest(query));
    return { pings: found.items.map(pingShape), nextCursor: found.nextCursor };
  });
}
