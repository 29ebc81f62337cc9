/** Commands as people write them, run by a shell with the real tool, and as jobs: the target gets the same request. */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readWritten } from '../../../../src/wings/readers/pasted.ts';
import { startSink, type Received } from '../../../support/fakes/sink.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { serveCommand } from '../../../support/running/command.ts';
import { until } from '../../../support/until.ts';

/** Each has its own path, `URL`, by which its requests are told apart. */
const commands = [
  'curl -s URL/cron.php',
  'curl -s URL/cron.php?key=1',
  'curl -fsS -m 10 --retry 5 -o /dev/null URL/ping',
  'curl --silent --show-error --fail --max-time 20 -H "x-cron-secret: SECRET" "URL/push" > /dev/null 2>&1',
  'curl -s -X POST -H "Authorization: Bearer SECRET" URL/send-daily',
  `curl -sS -X POST 'URL/api' -H 'Content-Type: application/json' -d '{"text":"it'\\''s \\"done\\" 100%"}'`,
  `curl -sS URL/api --json '{"a":1,"b":[true,null]}'`,
  `curl -s --json '{"a":' --json '1}' URL/twice`,
  `curl -s --json '{}' -H 'Accept: text/plain' URL/accept`,
  `curl -s -d 'a=1' -d 'b=2 3&c=%20' URL/form`,
  `curl -s -G --data-urlencode 'q=CREATE DATABASE mydb' -d pretty=true URL/query`,
  `curl -s -G -d 'x=1' 'URL/q?y=2#frag'`,
  `curl -s -G URL/none`,
  `curl -s -d '' URL/empty`,
  `curl -s -d 'multi\nline' URL/lines`,
  `curl -s --data-binary 'multi\nline' URL/binary`,
  `curl -s --data-raw @literal URL/raw`,
  `curl -s --data-urlencode 'é=ü ~!*()' --data-urlencode '=a b' --data-urlencode 'c d' URL/encoded`,
  `curl -s -d x --url-query 'a= b' --url-query +b=c%20d URL/url-query`,
  'curl -s -X DELETE URL/item/1',
  `curl -s -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"x":null}' URL/item/1`,
  `curl -s -X PUT -d x -H content-type:text/csv URL/put`,
  'curl -s -I URL/head',
  'curl -s --head --url URL/head',
  'curl -s -u user:pa:ss URL/basic',
  `curl -s -u 'ü:p w' URL/basic`,
  `curl -s -u name:pass -H 'Authorization: Mine' URL/own`,
  'curl -s --oauth2-bearer tok URL/bearer',
  `curl -s --cookie 'sid=x' URL/cookie`,
  `curl -s -b 'a=1' -b 'b=2; c=3' URL/cookies`,
  `curl -s -A 'Mozilla/5.0 (cron)' -e https://example.com/ URL/agent`,
  `curl -s -A one -A two URL/agents`,
  `curl -s -H 'User-Agent: x y' -H 'X-Name: b' URL/headers`,
  `curl -s -H 'X-A:  spaced  ' -H 'X-Empty;' URL/spaces`,
  `curl -s -H 'Expect:' -d abc URL/expect`,
  'curl -s -r 5-9 --compressed URL/range',
  `curl -sSL -o /dev/null -w '%{http_code}\\n' URL/location`,
  'curl -s -k -4 URL/k',
  'curl -s --proto =http --proto-default http --tlsv1.2 URL/proto',
  'curl -s --connect-timeout 5 --max-time 5.5 URL/fraction',
  'curl -s --max-time 300 URL/long',
  `curl -s -g 'URL/a?list[]=1&list[]=2'`,
  `curl -s 'URL//double//slash/./x/../y'`,
  `curl -s "URL/q?sig=abc'def"`,
  `curl -s 'URL?x=1'`,
  `curl -s 'URL/#only-frag'`,
  'curl -sf URL/health || echo down >/dev/null',
  'curl -s URL/x >> /dev/null 2>&1',
  'curl -s URL/x; ',
  'curl -s URL/background >/dev/null 2>&1 &\nwait',
  `curl -s \\\n  -X POST \\\n  -H 'A: b' \\\n  URL/multi \\\n  --data-raw $'line1\\nline2\\ttab \\u00e9'`,
  `curl -s --location --request POST 'URL/postman' --header 'Content-Type: application/json' --data '{"a": "b"}'`,
  `curl -s 'URL/firefox' --compressed -H 'User-Agent: Mozilla/5.0' -H 'DNT: 1'`,
  'curl -sfSLk --connect-timeout 5 URL/bundle',
  'curl -s -v -i -N -# URL/prints 2>/dev/null',
  'curl -s --get URL/get -d a=1',
  'curl -s -- URL/operand',
  'curl -s URL/late -H "X-A: b" -XPUT -dc=d',
  `TOKEN='a b'; curl -s -H "X-Token: $TOKEN" URL/token`,
  'NAME=x\nexport HOST_PATH=y\ncurl -s URL/$NAME/"${HOST_PATH}"',
  `sh -c 'curl -s -H "X-A: b" URL/shell'`,
  `bash -c "sh -c 'curl -s URL/shells'" >/dev/null`,
  'env X=1 nice -n 5 timeout 30 curl -s URL/prefixes',
  '( cd / && curl -s URL/group ) > /dev/null',
  '{ curl -s URL/braces; } >/dev/null 2>&1',
  '# words\n\ncurl -s URL/comment # more words',
  'true && curl -s URL/and && echo done >/dev/null',
  `curl -s -d '{"q":"a & b | c; d"}' URL/quoted`,
  'curl -s -d a\\&b\\;c URL/escaped',
  `curl -s -H "X-Quoted: \\"a\\" \\$5 \\\\ \\n" URL/double`,
];

const wgets = [
  'wget -q -O /dev/null -o /dev/null URL/wp-cron.php?doing_wp_cron >/dev/null 2>&1',
  'wget -qO- -t 1 URL/cron.php?token=TOKEN',
  `wget -q --method=POST --body-data='{"a":1}' --header='Content-Type: application/json' -O- URL/api`,
  'wget -q --post-data a=1 -U agent --referer=http://r.example/ -O /dev/null URL/post',
  'wget --spider -q URL/spider',
  'wget -q --user=bob --password=s3 --auth-no-challenge -O /dev/null URL/auth',
  'wget -q --no-check-certificate --tries=9 -T 900 -O /dev/null URL/limits',
];

/** Headers that each tool has of its own, unless the command sets them. */
const ownHeaders = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
/** What a job adds to each request. */
const ofService = ['x-service-run-id', 'x-service-scheduled-for'];

/** What matters of a request; of the headers that each tool has, only those that the command sets. */
function requestOf(received: Received | undefined, draft: { headers?: Record<string, string> }) {
  assert.ok(received !== undefined, 'no request');
  const said = new Set(Object.keys(draft.headers ?? {}).map((name) => name.toLowerCase()));
  const headers = Object.entries(received.headers).filter(
    ([name, value]) =>
      (said.has(name) || ![...ownHeaders, ...ofService].includes(name)) &&
      // A POST without a body may say so (RFC 9110, 8.6).
      !(name === 'content-length' && value === '0'),
  );
  const { method, body } = received;
  // As browsers do, a job encodes `'` in a query, which means the same.
  const path = received.path.replaceAll("'", '%27');
  return { method, path, body, headers: Object.fromEntries(headers) };
}

for (const [tool, all] of [
  ['curl', commands],
  ['wget', wgets],
] as const) {
  const isMissing = [tool, 'bash'].find((name) => spawnSync(name, ['--version']).status !== 0);
  const skip = isMissing === undefined ? false : `${isMissing} is not installed`;
  test(`the target of a job gets what ${tool} sends`, { skip }, async (t) => {
    assert.ok(tool === 'wget' || all.length >= 60, `${all.length} commands`);
    const sink = await startSink(t);
    const { url, env } = await serveCommand(t);
    const home = temporaryDirectory(t);
    const headers = {
      authorization: `Bearer ${env['JOBD_API_KEY']}`,
      'content-type': 'application/json',
    };
    const post = async (path: string, body: unknown) => {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/api/v1${path}`, init);
      const answer: unknown = await response.json();
      return { status: response.status, answer };
    };
    const read = [];
    for (const [index, command] of all.entries()) {
      const text = command.replaceAll('URL', `${sink.url}/${index}`);
      await promisify(execFile)('bash', ['-c', text], {
        env: { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C.UTF-8' },
      });
      const real = await until(`the request of ${text}`, () => sink.received.pop());
      assert.deepEqual(sink.received, [], `one request: ${text}`);
      const { draft, unhonoured, problem } = readWritten(text);
      assert.deepEqual([unhonoured, problem], [[], null], text);
      assert.ok(draft !== null, text);
      read.push({ text, draft, real });
    }
    // All in one request: a key may not ask as often as it would take.
    const jobs = read.map(({ draft }, index) => {
      return { key: `c${index}`, ...draft, name: `c${index}`, paused: true };
    });
    const made = await post('/definitions', { jobs });
    assert.equal(made.status, 200, JSON.stringify(made.answer));
    const { changes } = made.answer as { changes: { key: string; id: string | null }[] };
    const ids = new Map(changes.map(({ key, id }) => [key, id]));
    for (const [index, { text, draft, real }] of read.entries()) {
      const id = ids.get(`c${index}`);
      const ran = await post(`/jobs/${id}/run`, {});
      assert.equal(ran.status, 202, `${text}: ${JSON.stringify(ran.answer)}`);
      const sent = await until(`the call of ${text}`, () => sink.received.pop());
      assert.deepEqual(requestOf(sent, draft), requestOf(real, draft), text);
    }
  });
}
