// For nginx and Caddy: answers 204 to a request with a token that is valid and new, else 401.
import { createServer } from 'node:http';
import { verifyCall } from './verify.mjs';

createServer(async ({ headers }, response) => {
  try {
    // Only a token: the proxy passes on no body, which a signature would need.
    if (!headers.authorization) throw new Error('no token');
    const { runId, jobId } = await verifyCall({ headers });
    response.writeHead(204, { 'x-jobd-run': runId, 'x-jobd-job': jobId }).end();
  } catch (error) {
    response.writeHead(401, { 'x-reason': error.message.replace(/[^ -~]/g, '?') }).end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
