/** Routes of channels: an extension. */

import type { App } from '../../app/app.ts';
import {
  createChannel,
  deleteChannel,
  getChannel,
  getDelivery,
  listChannels,
  listDeliveries,
  testChannel,
  updateChannel,
} from '../../app/alerts/channels.ts';
import {
  ChannelInput,
  ChannelList,
  ChannelMade,
  ChannelPath,
  ChannelResponse,
  ChannelUpdate,
  DeliveryList,
  DeliveryPath,
  DeliveryResponse,
  TriedDelivery,
} from './contract.ts';
import { channelShape, deliveryShape, triedDeliveryShape } from './shape.ts';
import { Ok, PageQuery } from '../contract.ts';
import * as operations from './operations.ts';
import { ignoreTypeOfNothing, refuseBody } from '../http/bodiless.ts';
import type { ApiServer } from '../http/fastify.ts';
import { pageRequest } from '../http/page.ts';

/** Adds the routes. */
export function channelRoutes(server: ApiServer, app: App): void {
  server.route({
    method: 'GET',
    url: '/channels',
    schema: {
      querystring: PageQuery,
      response: { 200: ChannelList },
      operation: operations.listChannels,
    },
    handler: async ({ principal, query }) => {
      const { items, nextCursor } = await listChannels(app, principal, pageRequest(query));
      return { channels: items.map(channelShape), nextCursor };
    },
  });

  server.route({
    method: 'POST',
    url: '/channels',
    schema: {
      body: ChannelInput,
      response: { 201: ChannelMade },
      operation: operations.createChannel,
    },
    handler: async ({ principal, body }, reply) => {
      const { channel, secret } = await createChannel(app, principal, body);
      const made = { channel: channelShape(channel), ...(secret !== null && { secret }) };
      return reply.code(201).send(made);
    },
  });

  server.route({
    method: 'GET',
    url: '/channels/:id',
    schema: {
      params: ChannelPath,
      response: { 200: ChannelResponse },
      operation: operations.getChannel,
    },
    handler: async ({ principal, params }) => ({
      channel: channelShape(await getChannel(app, principal, params.id)),
    }),
  });

  server.route({
    method: 'PATCH',
    url: '/channels/:id',
    schema: {
      params: ChannelPath,
      body: ChannelUpdate,
      response: { 200: ChannelResponse },
      operation: operations.updateChannel,
    },
    handler: async ({ principal, params, body }) => {
      const { channel } = await updateChannel(app, principal, params.id, body);
      return { channel: channelShape(channel) };
    },
  });

  server.route({
    method: 'DELETE',
    url: '/channels/:id',
    schema: { params: ChannelPath, response: { 200: Ok }, operation: operations.deleteChannel },
    handler: async ({ principal, params }) => {
      await deleteChannel(app, principal, params.id);
      return { ok: true };
    },
  });

  server.route({
    method: 'POST',
    url: '/channels/:id/test',
    schema: {
      params: ChannelPath,
      response: { 202: DeliveryResponse },
      operation: operations.testChannel,
    },
    onRequest: ignoreTypeOfNothing,
    preValidation: refuseBody,
    handler: async ({ principal, params }, reply) => {
      const delivery = await testChannel(app, principal, params.id);
      return reply.code(202).send({ delivery: deliveryShape(delivery) });
    },
  });

  server.route({
    method: 'GET',
    url: '/channels/:id/deliveries',
    schema: {
      params: ChannelPath,
      querystring: PageQuery,
      response: { 200: DeliveryList },
      operation: operations.listDeliveries,
    },
    handler: async ({ principal, params, query }) => {
      const found = await listDeliveries(app, principal, params.id, pageRequest(query));
      return { deliveries: found.items.map(deliveryShape), nextCursor: found.nextCursor };
    },
  });

  server.route({
    method: 'GET',
    url: '/channels/:id/deliveries/:deliveryId',
    schema: {
      params: DeliveryPath,
      response: { 200: TriedDelivery },
      operation: operations.getDelivery,
    },
    handler: async ({ principal, params }) =>
      triedDeliveryShape(await getDelivery(app, principal, params)),
  });
}
