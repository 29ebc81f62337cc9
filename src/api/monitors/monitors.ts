/** Routes of monitors: an extension. */

import type { App, Principal } from '../../app/app.ts';
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitors,
  listPings,
  updateMonitor,
} from '../../app/monitors/monitors.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { Ok, PageQuery } from '../contract.ts';
import * as operations from './operations.ts';
import type { ApiServer } from '../http/fastify.ts';
import {
  MonitorInput,
  MonitorList,
  MonitorPath,
  MonitorResponse,
  MonitorUpdate,
  PingList,
} from './contract.ts';
import { pageRequest } from '../http/page.ts';
import { monitorShape, pingShape } from '../shape.ts';

/** Adds the routes; `siteUrl` gives the site's absolute URL, without a slash at its end. */
export function monitorRoutes(server: ApiServer, app: App, siteUrl: () => string): void {
  const shape = (monitor: Monitor, { permission }: Principal) =>
    monitorShape(monitor, { siteUrl: siteUrl(), permission, now: app.clock.now() });

  server.route({
    method: 'GET',
    url: '/monitors',
    schema: {
      querystring: PageQuery,
      response: { 200: MonitorList },
      operation: operations.listMonitors,
    },
    handler: async ({ principal, query }) => {
      const { items, nextCursor } = await listMonitors(app, principal, pageRequest(query));
      return { monitors: items.map((monitor) => shape(monitor, principal)), nextCursor };
    },
  });

  server.route({
    method: 'POST',
    url: '/monitors',
    schema: {
      body: MonitorInput,
      response: { 201: MonitorResponse },
      operation: operations.createMonitor,
    },
    handler: async ({ principal, body }, reply) => {
      const monitor = await createMonitor(app, principal, body);
      return reply.code(201).send({ monitor: shape(monitor, principal) });
    },
  });

  server.route({
    method: 'GET',
    url: '/monitors/:id',
    schema: {
      params: MonitorPath,
      response: { 200: MonitorResponse },
      operation: operations.getMonitor,
    },
    handler: async ({ principal, params }) => ({
      monitor: shape(await getMonitor(app, principal, params.id), principal),
    }),
  });

  server.route({
    method: 'PATCH',
    url: '/monitors/:id',
    schema: {
      params: MonitorPath,
      body: MonitorUpdate,
      response: { 200: MonitorResponse },
      operation: operations.updateMonitor,
    },
    handler: async ({ principal, params, body }) => ({
      monitor: shape(await updateMonitor(app, principal, params.id, body), principal),
    }),
  });

  server.route({
    method: 'DELETE',
    url: '/monitors/:id',
    schema: { params: MonitorPath, response: { 200: Ok }, operation: operations.deleteMonitor },
    handler: async ({ principal, params }) => {
      await deleteMonitor(app, principal, params.id);
      return { ok: true };
    },
  });

  server.route({
    method: 'GET',
    url: '/monitors/:id/pings',
    schema: {
      params: MonitorPath,
      querystring: PageQuery,
      response: { 200: PingList },
      operation: operations.listPings,
    },
    handler: async ({ principal, params, query }) => {
      const found = await listPings(app, principal, params.id, pageRequest(query));
      return { pings: found.items.map(pingShape), nextCursor: found.nextCursor };
    },
  });
}
