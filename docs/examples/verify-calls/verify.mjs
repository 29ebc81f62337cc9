// Says who made a call, or throws. Needs: npm install jose
import { createHash, webcrypto } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { JOBD_URL: issuer, AUDIENCE: audience, WORKSPACE_ID: workspace } = process.env;
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
  cacheMaxAge: 300_000,
});
const clockTolerance = 30; // seconds that clocks may differ
const seen = new Map(); // what came already, until it expires; several processes need a common store

// url is the whole URL that the job calls; body is the bytes as they came.
export async function verifyCall({ method, url, headers, body }) {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  // What the target expects decides, not what came: every workspace of the site can sign.
  const call = audience
    ? await byToken(token)
    : await bySignature(method, url, headers, body ?? '');
  const now = Date.now() / 1000;
  for (const [id, until] of seen) if (until < now) seen.delete(id);
  if (seen.has(call.id)) throw new Error('replayed');
  seen.set(call.id, call.expires + clockTolerance);
  return call;
}

async function byToken(token) {
  if (!token) throw new Error('no token');
  const rules = { issuer, audience, algorithms: ['EdDSA', 'RS256'], clockTolerance };
  const { payload } = await jwtVerify(token, keys, { ...rules, requiredClaims: ['exp', 'jti'] });
  if (payload.workspace_id !== workspace) throw new Error('another workspace');
  return { id: payload.jti, expires: payload.exp, runId: payload.run_id, jobId: payload.job_id };
}

async function bySignature(method, url, headers, body) {
  const own = ['x-service-run-id', 'x-service-scheduled-for'];
  const names = ['@method', '@target-uri', ...own, 'content-digest', 'signature-agent'];
  const covered = body.length > 0 ? names : names.filter((name) => name !== 'content-digest');
  const list = `(${covered.map((name) => `"${name}"`).join(' ')})`;
  const params = String(headers['signature-input']).replace(/^sig1=/, '');
  const [, created, expires, nonce, kid] =
    /^;created=(\d+);expires=(\d+);nonce="([^"]+)";keyid="([^"]+)";tag="web-bot-auth"$/.exec(
      params.startsWith(list) ? params.slice(list.length) : '',
    ) ?? [];
  if (kid === undefined) throw new Error('not signed as it should be');
  const values = { ...headers, '@method': method, '@target-uri': url };
  const lines = covered.map((name) => `"${name}": ${values[name]}\n`).join('');
  const base = Buffer.from(`${lines}"@signature-params": ${params}`);
  const signature = /^sig1=:(.+):$/.exec(headers.signature ?? '')?.[1] ?? '';
  const key = await keys({ alg: 'EdDSA', kid });
  const bytes = Buffer.from(signature, 'base64');
  if (!(await webcrypto.subtle.verify('Ed25519', key, bytes, base))) {
    throw new Error(`altered, or not called as ${method} ${url}`);
  }
  const now = Date.now() / 1000;
  if (now > Number(expires) + clockTolerance || now < Number(created) - clockTolerance) {
    throw new Error(`expired, or a clock is wrong: here it is ${new Date().toISOString()}`);
  }
  if (headers['signature-agent'] !== `"${issuer}"`)
    throw new Error(`another site: ${headers['signature-agent']}`);
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  if (body.length > 0 && headers['content-digest'] !== digest) throw new Error('altered body');
  return { id: nonce, expires: Number(expires), runId: headers['x-service-run-id'] };
}
