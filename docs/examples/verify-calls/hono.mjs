import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { verifyCall } from './verify.mjs';

const app = new Hono();
app.use(async (context, next) => {
  const { method, url: own } = context.req;
  const url = process.env.PUBLIC_URL + own.slice(new URL(own).origin.length);
  const body = Buffer.from(await context.req.arrayBuffer());
  try {
    context.set('call', await verifyCall({ method, url, headers: context.req.header(), body }));
  } catch (error) {
    return context.text(error.message, 401);
  }
  await next();
});
app.all('/hook', (context) => context.text(`run ${context.get('call').runId}`));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
