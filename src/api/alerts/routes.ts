import type { ChannelsApp } from '../../app/app.ts';
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from '../../app/alerts/channels.ts';
import {
  getDelivery,
  listAllDeliveries,
  listDeliveries,
  testChannel,
} from '../../app/alerts/deliveries.ts';
import type { DeliveryRequest } from '../../app/alerts/deliveries.ts';
import { listCallbacks } from '../../app/jobs/afterwards.ts';
import { invalidInput } from '../../domain/errors.ts';
import { badRequest, describe, notPaid, unknown } from '../description/operation.ts';
import { withoutBody } from '../http/body.ts';
import { namedRequest, NamedQuery, Ok, pageRequest, PageQuery } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../http/repeatable.ts';
import type { Static } from 'typebox';
import {
  AllDeliveries,
  ChannelInput,
  ChannelList,
  ChannelMade,
  ChannelPath,
  ChannelResponse,
  ChannelUpdate,
  DeliveryList,
  DeliveryPath,
  DeliveryQuery,
  DeliveryResponse,
  PostedResults,
  TriedDelivery,
} from './contract.ts';
import { JobPath } from '../jobs/contract.ts';
import { changedChannel } from './examples.ts';
import {
  channelShape,
  deliveryShape,
  listedDeliveryShape,
  postedResultShape,
  triedDeliveryShape,
} from './shape.ts';

const noUrl = badRequest('config.url is required for a webhook channel');

const noMailServer = {
  when: 'It is an email channel, and this jobd has no mail server.',
  example:
    'this jobd has no mail server, which an email channel needs: its operator sets one with jobd serve --smtp-url URL or JOBD_SMTP_URL',
};

const operations = describe(
  { tag: 'Channels', noun: 'channel', isExtension: true },
  {
    listChannels: {
      summary: 'List channels',
      description:
        'Returns the channels of the workspace, newest first, each with its last delivery.',
      querystring: NamedQuery,
      response: { 200: ChannelList },
      answer: 'A page of channels.',
    },
    createChannel: {
      summary: 'Create a channel',
      description:
        'The channel is notified when a job starts to fail, after its retries, and when it works again. A webhook receives ' +
        '`{ type, timestamp, data: { workspace, job, run } }` with the headers of Standard Webhooks, signed with its secret ' +
        '(`v1`) and with the receipt key (`v1a`). A failed delivery is retried for 24 hours with the same `webhook-id`. If a ' +
        'job changes quickly, the first change is sent at once and the latest state after 30 seconds or more. Email is sent ' +
        'only to addresses that the operator allows.',
      headers: RepeatableHeaders,
      body: ChannelInput,
      response: { 201: ChannelMade },
      answer:
        'The channel. `secret` is included if one was generated; it is shown in this answer alone, also to a repeated request.',
      failures: {
        400: noUrl,
        402: notPaid,
        403: 'The key may only read, or the workspace has 100 channels.',
        409: { ...noMailServer, when: `${noMailServer.when} Or: ${usedKey.when}` },
      },
    },
    getChannel: {
      summary: 'Get a channel',
      description:
        'Returns the channel with its last delivery. Its `config` is never shown, only the `destination` in it.',
      params: ChannelPath,
      response: { 200: ChannelResponse },
      answer: 'The channel.',
    },
    updateChannel: {
      summary: 'Change a channel',
      description: 'Only the given fields change; `config` is replaced as a whole. The type stays.',
      params: ChannelPath,
      body: ChannelUpdate,
      response: { 200: ChannelResponse },
      answer: 'The channel after the change.',
      answerExample: { channel: changedChannel },
      failures: { 400: noUrl, 402: notPaid, 409: noMailServer },
    },
    deleteChannel: {
      summary: 'Delete a channel',
      description:
        'Deletes the channel and its deliveries. A delivery in progress may still arrive.',
      params: ChannelPath,
      response: { 200: Ok },
      answer: 'The channel is deleted.',
    },
    testChannel: {
      summary: 'Test a channel',
      description:
        'Sends an alert of type `test`, even if the channel is disabled. A channel can be tested once a minute. Its deliveries ' +
        'show the outcome.',
      params: ChannelPath,
      response: { 202: DeliveryResponse },
      answer: 'The pending delivery.',
      failures: {
        402: notPaid,
        409: noMailServer,
        429: {
          when: 'The channel was tested less than a minute ago, or the key made more than 120 requests in 60 s.',
          example: 'a channel can be tested once a minute: again in 60 s',
        },
      },
    },
    listDeliveries: {
      summary: 'List deliveries of a channel',
      description:
        'Returns the deliveries of a channel, newest first, with the errors of failed ones. `jobId` or `monitorId` leaves those ' +
        'about one job or monitor. Alerts about several are not among them.',
      params: ChannelPath,
      querystring: DeliveryQuery,
      response: { 200: DeliveryList },
      answer: 'A page of deliveries.',
    },
    listAllDeliveries: {
      summary: 'List deliveries of all channels',
      description:
        'Returns the deliveries of all channels of the workspace, newest first, each with its channel. `jobId` or `monitorId` ' +
        'leaves those about one job or monitor. Alerts about several are not among them.',
      querystring: DeliveryQuery,
      response: { 200: AllDeliveries },
      answer: 'A page of deliveries.',
    },
    getDelivery: {
      summary: 'Get a delivery with its attempts',
      description: 'Returns the delivery, and the start, duration and result of each attempt.',
      params: DeliveryPath,
      response: { 200: TriedDelivery },
      answer: 'The delivery with its attempts, oldest first.',
      failures: {
        404: unknown(
          'delivery',
          'The workspace of the key has no such channel, or the channel has no such delivery.',
        ),
      },
    },
  },
);

const ofJobs = describe(
  { tag: 'Channels', noun: 'job', isExtension: true },
  {
    listCallbacks: {
      summary: 'List the posted results of a job',
      description:
        'Returns what became of the finished runs that were posted to `onResult` of the job, newest first. The newest 200 are ' +
        'kept, of which 100 may wait: a job loses the oldest results while its target takes none.',
      params: JobPath,
      querystring: PageQuery,
      response: { 200: PostedResults },
      answer: 'A page of results.',
    },
  },
);

/** The deliveries that a query asks for. Throws `invalid_input` for those of both a job and a monitor. */
function deliveryRequest({
  jobId,
  monitorId,
  idPrefix,
  ...query
}: Static<typeof DeliveryQuery>): DeliveryRequest {
  if (jobId !== undefined && monitorId !== undefined) {
    throw invalidInput('give either jobId or monitorId, not both');
  }
  const subjectId = (jobId ?? monitorId)?.toLowerCase() ?? null;
  return { ...pageRequest(query), subjectId, idPrefix: idPrefix?.toLowerCase() ?? null };
}

/** Adds the routes. */
export function channelRoutes(server: ApiServer, app: ChannelsApp): void {
  server.get('/channels', operations.listChannels, async ({ principal, query }) => {
    const { items, nextCursor } = await listChannels(app, principal, namedRequest(query));
    return { channels: items.map(channelShape), nextCursor };
  });

  server.post('/channels', operations.createChannel, async (request, reply) => {
    const { principal, body } = request;
    const made = await createChannel(app, principal, body, repeatableOf(request));
    const { channel, generated } = made;
    const answer = { channel: channelShape(channel), ...generated };
    return reply.code(201).at(`/channels/${channel.id}`).send(answer);
  });

  server.get('/channels/:id', operations.getChannel, async ({ principal, params }) => ({
    channel: channelShape(await getChannel(app, principal, params.id)),
  }));

  server.patch('/channels/:id', operations.updateChannel, async ({ principal, params, body }) => {
    return { channel: channelShape(await updateChannel(app, principal, params.id, body)) };
  });

  server.delete('/channels/:id', operations.deleteChannel, async ({ principal, params }) => {
    await deleteChannel(app, principal, params.id);
    return { ok: true };
  });

  server.post(
    '/channels/:id/test',
    { ...operations.testChannel, ...withoutBody },
    async ({ principal, params }, reply) => {
      const delivery = await testChannel(app, principal, params.id);
      const path = `/channels/${params.id}/deliveries/${delivery.id}`;
      const answer = { delivery: deliveryShape(delivery) };
      return reply.code(202).at(path).send(answer);
    },
  );

  server.get(
    '/channels/:id/deliveries',
    operations.listDeliveries,
    async ({ principal, params, query }) => {
      const asked = deliveryRequest(query);
      const { items, nextCursor } = await listDeliveries(app, principal, params.id, asked);
      return { deliveries: items.map(deliveryShape), nextCursor };
    },
  );

  server.get('/jobs/:id/callbacks', ofJobs.listCallbacks, async ({ principal, params, query }) => {
    const page = pageRequest(query);
    const { items, nextCursor } = await listCallbacks(app, principal, params.id, page);
    return { deliveries: items.map(postedResultShape), nextCursor };
  });

  server.get('/deliveries', operations.listAllDeliveries, async ({ principal, query }) => {
    const { items, nextCursor } = await listAllDeliveries(app, principal, deliveryRequest(query));
    return { deliveries: items.map(listedDeliveryShape), nextCursor };
  });

  server.get(
    '/channels/:id/deliveries/:deliveryId',
    operations.getDelivery,
    async ({ principal, params }) => triedDeliveryShape(await getDelivery(app, principal, params)),
  );
}
