import fastify from 'fastify';
import { verifyCall } from './verify.mjs';

const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.addHook('preHandler', async (request, reply) => {
  const { method, originalUrl, headers, body } = request;
  const url = process.env.PUBLIC_URL + originalUrl;
  try {
    request.call = await verifyCall({ method, url, headers, body });
  } catch (error) {
    return reply.code(401).send(error.message);
  }
});
app.all('/hook', (request) => `run ${request.call.runId}`);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
