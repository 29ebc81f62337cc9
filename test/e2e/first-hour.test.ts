/**
 * The first hour of an operator on a new server, from install.sh on, with the packaged executable.
 * Each line typed and each line that jobd says to it is in `goldens/first-hour.txt`, `2>` before
 * those on stderr; `UPDATE_GOLDENS=1` rewrites the file; review the diff.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertGolden } from '../support/checks/golden.ts';
import { startSink } from '../support/fakes/sink.ts';
import { executable, notPackaged } from '../support/running/executable.ts';
import { ownPort } from '../support/own-port.ts';
import { addSystemd, offerFile } from '../support/running/service.ts';
import { makeThrowAwayRoot, noThrowAwayRoot } from '../support/running/throw-away-root.ts';

/** What is typed. TARGET answers 200, except 503 at /down and 500 at /refused; public URLs are due once a year. */
const typed = `
jobd key list
jobd backup /srv/nothing.db
jobd backup /srv/nothing.db
jobd doctor
jobd jobs list
jobd key create --name laptop | jobd login
jobd key create --name laptop | jobd login
jobd jobs list
jobd jobs create --name home --url https://example.com/ --every 5m --paused
jobd jobs create --name home --url https://example.com/ --every 5m --paused
jobd jobs create --name home --url https://example.com/ --cron @yearly --tz UTC --paused --upsert
jobd jobs create --name report --url TARGET/report --cron '30 2 1 1 *' --tz UTC
jobd jobs create --name invoices --url TARGET/down --method POST --cron '0 4 1 1 *' --tz UTC
jobd jobs create --name closed --url http://127.0.0.1:9/ --cron '0 5 1 1 *' --tz UTC
jobd jobs create --name metadata --url http://169.254.169.254/ --every 5m
jobd jobs run report --wait
jobd jobs run invoices --wait
jobd jobs run closed --wait
jobd jobs list
jobd runs list --status failed --since 1h
jobd runs get invoices failed
jobd runs get closed failed
jobd runs get report failed
jobd runs get invoice failed
jobd jobs pause --all
jobd jobs pause --all
jobd jobs run report --wait
jobd jobs resume --all
jobd import crontab /srv/crontab --tz UTC
jobd import crontab /srv/crontab --tz UTC --apply
jobd channels create --name ops --type webhook --url TARGET/alerts
jobd channels test ops
jobd channels create --name broken --type webhook --url TARGET/refused
jobd channels test broken
jobd backup /srv/today.db
jobd backup /srv/today.db
jobd key list
jobd key list --data /tmp/empty
jobd doctor --data /tmp/empty
JOBD_API_KEY=cp_0000 jobd jobs list
JOBD_API_KEY=ZEROS jobd jobs list
echo ZEROS | jobd login
JOBD_URL=http://127.0.0.1:9 jobd jobs list
jobd doctor
systemctl stop jobd
jobd jobs list
jobd doctor
`
  .trim()
  .split('\n');

const crontab = `# m h dom mon dow command
15 3 1 1 * curl -fsS https://example.com/nightly
*/10 * * * * /usr/local/bin/sync-files --quiet
61 25 * * * /usr/local/bin/never
`;

/** Replaces what differs from run to run. */
function normalised(text: string, names: ReadonlyMap<string, string>): string {
  let shown = text;
  for (const [given, name] of names) shown = shown.replaceAll(given, name);
  return shown
    .replace(/\bcp_(?!0000)\w{64}/g, 'KEY')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/whsec_[\w+/=]+/g, 'SECRET')
    .replace(/master key( |\t)[0-9a-f]{16}\b/g, 'master key$1KEY-ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/\bagain in \d+ s\b/g, 'again in N s')
    .replace(/^alerts wait, next attempt .*\n/gm, '')
    .replace(/created (?:now|\d+ s ago)/g, 'created AGO')
    .replace(/(duration\t|\t(?:200|503|-)\t)\d+/g, '$1N')
    .replace(/\b\d+ ms\b/g, 'N ms')
    .replace(/\bprocess \d+/g, 'process N')
    .replace(/^\w+\tdisk\t.*$/gm, 'RESULT\tdisk\tSPACE')
    .replace(/jobd\.db, [\d.]+ \w+/g, 'jobd.db, SIZE')
    .replace(/data of \w+(?:, built in| in \S+, \w+ is built in)/g, 'data of RELEASE')
    .replace(/^ok\tledger\t.*$/gm, 'ok\tledger\tCHECKED OR NOT YET');
}

/** Leaves out other servers, which this machine may run outside the test. */
function withoutOthers(text: string): string {
  return text
    .replace(/(, jobd serve \(process \d+, user \w+\))+/g, '$1')
    .replace(/^(?:\t\t- |  )\S+: jobd serve \(process \d+, user .*\n/gm, '');
}

const skip = notPackaged || noThrowAwayRoot;

test('the first hour of an operator reads as kept', { skip, timeout: 600_000 }, async (t) => {
  const root = await makeThrowAwayRoot(t);
  const target = await startSink(t, (response, { path }) => {
    response.writeHead({ '/down': 503, '/refused': 500 }[path] ?? 200).end('so it says');
  });
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  root.copy(join(import.meta.dirname, '..', '..', 'install.sh'), '/install.sh');
  root.write('/srv/crontab', crontab);
  root.write('/tmp/empty/.keep', '');
  root.write('/usr/local/sbin/sudo', '', 0o755);
  addSystemd(root);
  const settings = `JOBD_PORT=${port}\nJOBD_ALLOW_TARGETS=127.0.0.1/32:*\n`;
  root.write('/etc/jobd/jobd.env', settings);
  const zeros = `cp_${'0'.repeat(64)}`;
  const names = new Map([
    [url, 'SITE'],
    [new URL(url).host, 'SITE-HOST'],
    [target.url, 'TARGET'],
    [new URL(target.url).host, 'TARGET-HOST'],
    [zeros, 'ZEROS'],
  ]);

  const lines: string[] = [];
  const type = async (line: string): Promise<void> => {
    const command = line.replaceAll('TARGET', target.url).replaceAll('ZEROS', zeros);
    const env = { HOME: '/home/operator', TZ: 'Europe/Berlin', JOBD_URL: url };
    const { exitCode, stdout, stderr } = await root.run(['sh', '-c', command], env);
    const [out, said] = [stdout, stderr].map((text) => normalised(withoutOthers(text), names));
    const messages = said?.replace(/^(?=.)/gm, '2> ');
    lines.push(`$ ${line}\n${out}${messages}${exitCode === 0 ? '' : `exit code ${exitCode}\n`}`);
  };
  await type(`sh /install.sh --from ${offerFile(root, readFileSync(executable))}`);
  for (const line of typed) await type(line);
  assert.equal(lines.length, typed.length + 1);
  assertGolden(join(import.meta.dirname, 'goldens', 'first-hour.txt'), lines.join('\n'));
});
