/**
 * Canaries in channel configs: they go through everything that jobd does, and must not appear in
 * any byte that it wrote, logged or sent to the wrong place. Uses the packaged executable.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/directory.ts';
import { jobd, notPackaged, serve } from '../support/running/executable.ts';
import { startMailServer } from '../support/fakes/mail-server.ts';
import { rawBytes } from '../support/checks/raw-bytes.ts';
import { startSink } from '../support/fakes/sink.ts';
import { bearer, send } from '../support/running/send.ts';
import { until } from '../support/until.ts';

const smtpPassword = 'canary-smtp-password';
const given = `whsec_${Buffer.from('canary of a webhook, 32 bytes ..').toString('base64')}`;
const canaries = {
  given,
  givenBytes: given.slice('whsec_'.length),
  hook: 'canary-hook-path',
  query: 'canary-hook-query',
  slack: 'canary-slack-token',
  discord: 'canary-discord-token',
  telegram: 'canary-telegram-0123456789',
  topic: 'canary-ntfy-topic',
  ntfy: 'tk_canary0ntfy0token',
  teams: 'canary-teams-signature',
  room: '!canaryroom',
  matrix: 'syt_canary_matrix_token',
  gotify: 'Acanary-gotify-token',
  to: 'canary-to@example.com',
  smtpPassword,
  smtpInBase64: Buffer.from(`\0ann\0${smtpPassword}`).toString('base64'),
  header: 'canary-job-header',
  body: 'canary-job-body',
};

test(
  'channel configs are in no answer, no log line, no payload and no byte of the database',
  { skip: notPackaged },
  async (t) => {
    const directory = temporaryDirectory(t);
    const dataDir = join(directory, 'data');
    // Echoes the request in every possible encoding.
    const receiver = await startSink(t, (response, { path, headers }) => {
      const said = [path, decodeURIComponent(path), headers.authorization].join('\n');
      const token = path.split('/').at(-1)?.split('?')[0] ?? '';
      if (path.includes('slack')) {
        const location = `https://${token}.example.com${path}`;
        response.writeHead(302, { location }).end(said);
      } else response.writeHead(500, 'no').end(JSON.stringify({ said, headers }));
    });
    let isDown = true;
    const target = await startSink(t, (response, { headers, body }) => {
      response.writeHead(isDown ? 500 : 200).end(`${String(headers['x-key'])} ${body.slice(0, 3)}`);
    });
    const mailServer = await startMailServer(t, {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, callback) {
        const sent = Buffer.from(`\0${username}\0${password}`).toString('base64');
        callback(new Error(`no ${password} (AUTH PLAIN ${sent})`));
      },
    });
    const smtpUrl = `smtp://ann:${smtpPassword}@${mailServer.host}`;
    const args = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', '--log-level', 'trace'];
    args.push('--smtp-url', smtpUrl);
    const daemon = await serve(t, args, directory);
    const apiKey = (await jobd(['key', 'create', '--data', dataDir])).stdout.trim();
    const env = { JOBD_URL: daemon.url, JOBD_API_KEY: apiKey, JOBD_DATA: dataDir };
    const answers: string[] = [];
    const shown: string[] = [];
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read it as a client would
    const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
      const response = await send(`${daemon.url}/api/v1${path}`, method, body, bearer(apiKey));
      const { secret, ...answer } = JSON.parse(await response.text());
      // The one response that shows a generated secret, and a job's own URL and body.
      for (const job of [answer.job, ...(answer.jobs ?? [])]) if (job) delete job.body;
      answers.push(JSON.stringify(answer), JSON.stringify([...response.headers]));
      return { ...answer, secret };
    };
    const command = async (...words: string[]): Promise<void> => {
      const { stdout, stderr } = await jobd(words, env);
      shown.push(stdout, stderr);
    };

    const { url } = receiver;
    const hook = `${url}/${canaries.hook}?key=${canaries.query}`;
    const configs: [type: string, config: Record<string, string>][] = [
      ['webhook', { url: hook, secret: given }],
      ['webhook', { url: hook }],
      ['slack', { url: `${url}/services/T0/B0/${canaries.slack}` }],
      ['discord', { url: `${url}/api/webhooks/1/${canaries.discord}` }],
      ['ntfy', { url: `${url}/${canaries.topic}`, token: canaries.ntfy }],
      ['teams', { url: `${url}/workflows/1?sig=${canaries.teams}` }],
      ['matrix', { url, room: `${canaries.room}:example.org`, token: canaries.matrix }],
      ['gotify', { url, token: canaries.gotify }],
      ['email', { to: canaries.to }],
    ];
    const ids: string[] = [];
    const made: string[] = [];
    for (const [type, config] of configs) {
      const { channel, secret, error } = await ask('POST', '/channels', {
        name: type,
        type,
        config,
      });
      assert.ok(channel, error);
      ids.push(channel.id);
      if (secret !== undefined) made.push(secret);
    }
    assert.equal(made.length, 1);
    // Tests must not send anything off this machine, so this channel is never used.
    const botToken = `12345:${canaries.telegram}`;
    const telegram = { name: 't', type: 'telegram', enabled: false };
    const config = { botToken, chatId: '1' };
    const { channel: off } = await ask('POST', '/channels', { ...telegram, config });
    for (const broken of [
      { name: 'x', type: 'slack', config: { url: `ftp://a/${canaries.slack}` } },
      { name: 'x', type: 'slack', config: { url: `http://a:${canaries.slack}@example.com/` } },
      { name: 'x', type: 'webhook', config: { url: hook, secret: canaries.given.slice(1) } },
      { name: 'x', type: 'ntfy', config: { url: `${url}/${canaries.topic}/more` } },
      { name: 'x', type: 'ntfy', config: { url, token: `${canaries.ntfy}\r\nX-A: b` } },
      { name: 'x', type: 'telegram', config: { botToken: canaries.telegram, chatId: '1' } },
      { name: 'x', type: 'slack', config: canaries.slack },
      { name: 'x', type: 'slack', config: [canaries.slack] },
      { name: 'x', type: 'slack', config: { url: { a: canaries.slack } } },
      { name: 'x', type: 'pager', config: { url: canaries.slack } },
    ]) {
      assert.ok((await ask('POST', '/channels', broken)).error, JSON.stringify(broken));
      assert.ok((await ask('PATCH', `/channels/${off.id}`, broken)).error);
    }

    const { job } = await ask('POST', '/jobs', {
      name: 'backup',
      url: target.url,
      method: 'POST',
      cronExpr: '0 0 1 1 *',
      headers: { 'X-Key': canaries.header },
      body: canaries.body,
    });
    await ask('POST', `/jobs/${job.id}/run`);
    const tried = async (attempts: number): Promise<void> => {
      await until('every channel to be tried', async () => {
        const { channels } = await ask('GET', '/channels');
        const known = channels.filter(({ id }: { id: string }) => ids.includes(id));
        return known.every(
          ({ lastDelivery }: { lastDelivery: { attempts: number } | null }) =>
            (lastDelivery?.attempts ?? 0) >= attempts,
        );
      });
    };
    await tried(1);
    isDown = false;
    await command('channels', 'list');
    await command('channels', 'list', '--json');
    for (const id of ids) {
      const { deliveries } = await ask('GET', `/channels/${id}/deliveries`);
      await ask('GET', `/channels/${id}/deliveries/${deliveries[0].id}`);
      await command('channels', 'deliveries', id, deliveries[0].id);
      await command('channels', 'get', id, '--json');
    }
    // ntfy needs the topic in the message.
    const payloads = receiver.received.map(({ body }) =>
      body.replace(`"topic":"${canaries.topic}"`, ''),
    );
    assert.ok(payloads.length >= 5);
    const raw = [await rawBytes(dataDir)];
    const rotated = await jobd(['secrets', 'rotate', '--yes', '--data', dataDir]);
    assert.equal(rotated.exitCode, 0, rotated.stderr);
    raw.push(await rawBytes(dataDir));
    await ask('PATCH', `/channels/${ids[0]}`, { config: { url: `${hook}-changed` } });
    await ask('PATCH', `/channels/${ids[2]}`, { enabled: false });
    await ask('DELETE', `/channels/${ids[3]}`);
    assert.equal(await daemon.stop(), 0);
    raw.push(await rawBytes(dataDir));

    const everything = {
      'an answer': answers.join('\n'),
      'command line output': shown.join('\n'),
      'the log': daemon.log(),
      'raw bytes': raw.join('\n'),
    };
    assert.match(everything['the log'], /alert not delivered/);
    for (const text of Object.values(everything)) assert.match(text, /\[redacted\]/);
    const secrets = [...Object.values(canaries), ...made, apiKey, made[0]?.slice(6) ?? ''];
    for (const [where, text] of Object.entries({ ...everything, payloads: payloads.join('\n') })) {
      for (const secret of secrets) {
        const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
        for (const spelling of spellings) {
          assert.ok(!text.includes(spelling), `${spelling} is in ${where}`);
        }
      }
      assert.doesNotMatch(text, /canary/i, where);
    }
  },
);
