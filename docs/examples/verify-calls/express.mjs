import express from 'express';
import { verifyCall } from './verify.mjs';

const app = express();
app.use(express.raw({ type: () => true, limit: '1mb' }));
app.use(async (request, response, next) => {
  const { method, originalUrl, headers, body } = request;
  const url = process.env.PUBLIC_URL + originalUrl;
  try {
    request.call = await verifyCall({ method, url, headers, body });
  } catch (error) {
    return response.status(401).type('text').send(error.message);
  }
  next();
});
app.all('/hook', (request, response) => response.send(`run ${request.call.runId}`));
app.listen(process.env.PORT, '127.0.0.1');
