/** Writing the log, for people and as JSON (docs/logs.md). */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fstatSync, globSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertTypes, type AlertType } from '../../src/domain/alerts/alert.ts';
import { loggedAlert } from '../../src/domain/alerts/logged-alert.ts';
import { humanLine } from '../../src/base/log-line.ts';
import { temporaryDirectory } from '../support/directory.ts';

const logModule = join(import.meta.dirname, '../../src/base/log.ts');

/** Runs a program that has `log`, with this file as its stderr. */
function run(program: string, stderr: 'pipe' | number) {
  return runWith("openLog('info')", program, stderr);
}

/** The same with a log that an expression opens. */
function runWith(opened: string, program: string, stderr: 'pipe' | number) {
  const source = `import { lineForm, openLog } from ${JSON.stringify(logModule)}; const log = ${opened}; ${program}`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
    timeout: 30_000,
  });
}

test('all lines of one turn are written, in order, when the process ends', () => {
  for (const end of ['process.exit(3);', 'process.exitCode = 3;']) {
    const ended = run(
      `for (let line = 0; line < 1000; line++) log.info({ line }, 'x'); ${end}`,
      'pipe',
    );
    assert.equal(ended.status, 3);
    const lines = ended.stderr.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { line: number }).line),
      Array.from({ length: 1_000 }, (_, line) => line),
    );
  }
});

test('an error that ends with the words of its cause says them once', () => {
  const { stderr } = run(
    `const cause = new Error('refused');
    log.error({ err: new Error('cannot be used: refused', { cause }) }, 'x');
    log.error({ err: new Error('cannot be used', { cause }) }, 'x');`,
    'pipe',
  );
  const messages = stderr
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { err: { message: string } }).err.message);
  assert.deepEqual(messages, ['cannot be used: refused', 'cannot be used: refused']);
});

test('an error of a refused row does not repeat the row', () => {
  const { stderr } = run(
    `const detail = 'Failing row contains (secret)';
    log.error({ err: Object.assign(new Error('refused'), { detail, where: detail, code: '23514' }) }, 'x');`,
    'pipe',
  );
  assert.ok(stderr.includes('23514') && !stderr.includes('secret'), stderr);
});

test('a text from outside cannot control the terminal on which somebody reads the JSON', () => {
  const { stderr } = run("log.info({ name: 'a\\u009b31m\\u202e\\u007f' }, 'x');", 'pipe');
  assert.ok(stderr.includes(String.raw`"a\u009b31m\u202e\u007f"`), stderr);
});

test('a line whose fields JSON cannot hold is written without them', () => {
  const { stderr } = run("log.error({ count: 1n }, 'broken');", 'pipe');
  assert.match(stderr, /^\{"level":50,"time":"[^"]+","unwritable":"[^"]+","msg":"broken"\}\n$/);
});

const isFullThere = existsSync('/dev/full');
test(
  'a log that cannot be written does not end the process',
  { skip: isFullThere ? false : 'there is no /dev/full here' },
  () => {
    const full = openSync('/dev/full', 'w');
    const ended = run(
      `for (let turn = 0; turn < 20; turn++) {
         log.info('x'.repeat(100_000));
         await new Promise((resolve) => setImmediate(resolve));
       }
       console.log('done');`,
      full,
    );
    closeSync(full);
    assert.equal(ended.stdout, 'done\n');
    assert.equal(ended.status, 0);
  },
);

const root = join(import.meta.dirname, '..', '..');
const time = '2026-03-02T02:00:01.250Z';
/** The local time of a moment, as lines have it. */
const local = (iso: string): string => new Date(iso).toLocaleTimeString('en-GB');

/** The human line of an event, without its time. */
function shown(fields: object, style = { hasColour: false, hasDate: false }): string {
  const line = humanLine(JSON.stringify({ level: 30, time, ...fields }), style);
  assert.ok(line.startsWith(`${local(time)}  `) || style.hasColour || style.hasDate, line);
  assert.equal(line.indexOf('\n'), line.length - 1, 'one event, one line');
  return style.hasColour || style.hasDate ? line : line.slice(local(time).length + 2, -1);
}

const ran = { level: 40, msg: 'run ended', job: 'backup', jobId: 'j', runId: 'r' };
const http500 = { httpStatus: 500, reason: 'http', detail: null, error: 'http: 500' };
const failed = { ...ran, status: 'failed', durationMs: 2_104, attempts: 1, ...http500 };
const toOps = { channel: 'ops', channelType: 'slack', event: 'job.failed', job: 'backup' };
const changed = {
  msg: 'changed',
  action: 'job.update',
  subjectId: 's',
  actorType: 'key',
  actorId: 'k',
  actorName: 'laptop',
  fields: [],
};
const dueAt = '2026-03-02T02:00:00.000Z';

test('on a terminal each event is a sentence', () => {
  const stopping = { msg: 'stopping, a second signal stops at once', waitMs: 30_000 };
  const started = { version: '1.2.3', dataDir: '/d', url: 'http://h:1', baseUrl: null };
  const rows: [fields: object, sentence: string][] = [
    [failed, 'backup: failed after 2.1 s: HTTP 500'],
    [{ ...failed, workspace: 'team' }, 'team/backup: failed after 2.1 s: HTTP 500'],
    [
      { ...failed, attempts: 3, latenessMs: 12_000 },
      'backup: failed after 2.1 s, 3 attempts, 12 s late: HTTP 500',
    ],
    [
      { ...ran, status: 'success', durationMs: 12, attempts: 1, error: null },
      'backup: success after 12 ms',
    ],
    [
      {
        ...ran,
        status: 'interrupted',
        durationMs: null,
        reason: 'cut_off',
        detail: 'jobd stopped',
      },
      'backup: interrupted: jobd stopped',
    ],
    [
      {
        ...ran,
        msg: 'run missed',
        dueAt,
        lastDueAt: dueAt,
        count: 1,
        reason: 'busy',
        detail: null,
      },
      `backup: missed: 1 due time, ${local(dueAt)}: the previous run was still executing`,
    ],
    [
      { msg: 'monitor changed', monitor: 'nightly', from: 'up', to: 'down', dueAt },
      `monitor nightly: down, no successful ping since it was due at ${local(dueAt)}`,
    ],
    [
      {
        msg: 'monitor changed',
        monitor: 'nightly',
        from: 'up',
        to: 'down',
        since: dueAt,
        changed: 3,
      },
      `monitor nightly: down since ${local(dueAt)} (3 changes)`,
    ],
    [{ ...toOps, msg: 'alert delivered' }, 'alert sent to ops (slack): backup is down'],
    [
      { ...toOps, msg: 'alert delivered', event: 'job.recovered' },
      'alert sent to ops (slack): backup is up again',
    ],
    [
      { level: 40, msg: 'an attempt broke down', channel: 'ops', channelId: 'c', deliveryId: 'd' },
      'warn  an attempt broke down (channel ops)',
    ],
    [
      { ...changed, subjectName: 'backup', fields: ['url', 'cronExpr', 'timezone'] },
      'laptop changed the job backup (URL, schedule, time zone)',
    ],
    [
      { ...changed, action: 'job.pause', subjectName: '', actorName: '', fields: [] },
      'key k paused the job s',
    ],
    [{ ...changed, action: 'session.start', subjectName: 'x' }, 'laptop signed in'],
    [
      {
        msg: 'pruned',
        removed: {
          runs: 1200,
          auditEntries: 1,
        },
        kept: { deliveries: 8 },
        databaseBytes: 5242880,
        freeBytes: 4096,
        longestWriteMs: 1.5,
      },
      'removed what is past its retention: 1200 runs, 1 audit entry; the database has 5 MiB, 4 KiB of it free',
    ],
    [
      { level: 40, msg: 'the wall clock was set, or the machine slept', stepMs: -90_000 },
      'warn  the wall clock was set, or the machine slept (step -1 min 30 s)',
    ],
    [
      { msg: 'alert given up', level: 50, ...toOps, error: 'http: 404' },
      'error  alert given up to ops (slack): backup is down (http: 404)',
    ],
    [
      { ...stopping, signal: 'SIGINT', calls: 3 },
      'stopping (SIGINT): waiting up to 30 s for 3 calls; Ctrl-C again stops at once',
    ],
    [{ ...stopping, signal: 'SIGTERM', calls: 0 }, 'stopping (SIGTERM): no calls in flight'],
    [
      { msg: 'jobd started', ...started, jobs: 1, monitors: 2, nextDueAt: null },
      'jobd 1.2.3 started on http://h:1, data in /d: 1 job, 2 monitors, nothing is due',
    ],
    [
      { level: 40, msg: 'an event of another kind', trouble: 'EMFILE' },
      'warn  an event of another kind (trouble EMFILE)',
    ],
    [
      {
        level: 50,
        msg: 'claim failed, will try again',
        loop: 'claim',
        err: { message: 'full' },
        failures: 2,
        pauseMs: 200,
      },
      'error  claim failed, will try again: full (2 failures, pause 200 ms)',
    ],
    [
      {
        level: 40,
        msg: 'nodes that do not renew their leases are gone',
        nodes: ['process 1 on a', 'process 2 on b'],
        nodeIds: ['n1', 'n2'],
      },
      'warn  nodes that do not renew their leases are gone (nodes process 1 on a; process 2 on b)',
    ],
  ];
  for (const [fields, sentence] of rows) assert.equal(shown(fields), sentence);
});

const sent = { msg: 'alert delivered', channel: 'ops', channelType: 'slack' };
const monitor = { id: 'm', name: 'nightly' };
const down = { type: 'job', ...monitor, since: null, failures: null, reason: null } as const;
const runs = { count: 1, from: dueAt, to: dueAt, reasons: [] };
const first = [{ id: 'r', scheduledFor: dueAt, job: { id: 'j', name: 'backup' } }];

/** For each type, the data of alerts and what the line says of them. */
const news: Record<AlertType, [data: object, words: string][]> = {
  'job.failed': [[{ job: { id: 'j', name: 'backup' } }, 'backup is down']],
  'job.recovered': [[{ job: { id: 'j', name: 'backup' } }, 'backup is up again']],
  'monitor.down': [[{ monitor }, 'nightly is down']],
  'monitor.up': [[{ monitor }, 'nightly is up again']],
  'job.missed': [
    [{ runs: { ...runs, first } }, 'backup missed its time'],
    [{ runs: { ...runs, first: [] } }, 'a run was missed'],
    [{ runs: { ...runs, first, count: 3 } }, '3 runs were missed'],
  ],
  'job.interrupted': [
    [{ runs: { ...runs, first } }, 'backup was interrupted'],
    [{ runs: { ...runs, first, count: 3 } }, '3 runs were interrupted'],
  ],
  'run.finished': [[{ job: { id: 'j', name: 'backup' } }, 'a run of backup is over']],
  reminder: [
    [{ down: { count: 1, first: [down] } }, 'nightly is still down'],
    [{ down: { count: 2, first: [down, down] } }, '2 jobs and monitors are still down'],
  ],
  test: [[{ channel: { id: 'c', name: 'ops' } }, 'a test']],
};

test('every type of alert says on a terminal what its payload says', () => {
  assert.deepEqual(Object.keys(news), [...alertTypes]);
  for (const event of alertTypes) {
    for (const [data, words] of news[event]) {
      const about = loggedAlert(JSON.stringify({ type: event, timestamp: time, data }));
      assert.equal(shown({ ...sent, event, ...about }), `alert sent to ops (slack): ${words}`);
    }
  }
  const [many, of] = [{ event: 'job.missed', count: 3 }, 'alert sent to ops (slack): '];
  assert.equal(shown({ ...sent, ...many, workspace: 'w' }), `${of}w: 3 runs were missed`);
  assert.equal(shown({ ...sent, event: 'job.exploded' }), `${of}job.exploded`);
});

test('names with control characters cannot write a second line or colour the terminal', () => {
  const job = 'x\n03:00:00  backup: success\u001b[2J\u009b\u2028';
  for (const fields of [
    { ...failed, job },
    { ...toOps, job, msg: 'alert delivered' },
    { msg: 'an event of another kind', given: { nested: [job] } },
  ]) {
    assert.match(shown(fields), /x(\\)?\\(u000a|n)03:00:00/);
    // oxlint-disable-next-line no-control-regex -- these must not be there
    assert.doesNotMatch(shown(fields), /[\u0000-\u001f\u007f-\u009f\u2028]/);
  }
});

test('colours mark the status only, and lines for a file begin with the date', () => {
  const coloured = shown(failed, { hasColour: true, hasDate: false });
  assert.ok(coloured.endsWith('backup: \u001b[31mfailed\u001b[39m after 2.1 s: HTTP 500\n'));
  assert.match(shown(failed, { hasColour: false, hasDate: true }), /^2026-03-0[123] \d\d:/);
});

test('a pipe gets JSON unless human lines are asked for', () => {
  for (const [format, pattern] of [
    ['null', /^\{"level":30,"time":"[^"]+","msg":"hi"\}\n$/],
    ["'json'", /^\{"level":30/],
    ["'human'", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}hi\n$/],
  ] as const) {
    const ended = runIn(`lineForm(${format}, { noColour: false, journalStream: null })`, 'pipe');
    assert.match(ended.stderr, pattern);
  }
});

test('lines that the journal reads begin with their priority, others do not', (t) => {
  const file = join(temporaryDirectory(t), 'log');
  const stderr = openSync(file, 'w');
  const { dev, ino } = fstatSync(stderr, { bigint: true });
  runIn(form(`${dev}:${ino}`), stderr, "log.warn('a'); log.error('b'); log.debug('c');");
  runIn(form(`${dev}:${ino}1`), stderr);
  closeSync(stderr);
  const begins = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => /^[^:]*/.exec(line)?.[0]);
  assert.deepEqual(begins, ['<4>{"level"', '<3>{"level"', '{"level"']);
});

/** Lines as a service of systemd writes them, whose journal reads this stream. */
function form(stream: string): string {
  return `lineForm(null, { noColour: false, journalStream: '${stream}' })`;
}

/** Writes lines in this form, which is an expression. */
function runIn(lineFormat: string, stderr: 'pipe' | number, program = "log.info('hi');") {
  return runWith(`openLog('info', ${lineFormat})`, program, stderr);
}

/** The last text of each call of the log in the sources; `${name}` is NAME there. */
function loggedMessages(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const { index } of source.matchAll(
      /\blog(?:\.(?:debug|info|warn|error|fatal)|\[\w+\])\(/g,
    )) {
      const call = /^(?:[^()]|\((?:[^()]|\([^()]*\))*\))*/.exec(
        withoutBrackets(source.slice(source.indexOf('(', index) + 1)),
      );
      const message = [...(call?.[0] ?? '').matchAll(/'([^']*)'|`([^`]*)`/g)].at(-1);
      assert.ok(message, `${file} logs no constant text at ${source.slice(index, index + 60)}`);
      const text = (message[1] ?? message[2] ?? '').replaceAll(/\$\{name\}/g, 'NAME');
      found.set(text.replaceAll('\u0001', '(').replaceAll('\u0002', ')'), file);
    }
  }
  return found;
}

/** Hides brackets in texts, so that those of the code can be paired. */
function withoutBrackets(source: string): string {
  return source.slice(0, 1_000).replaceAll(/'[^'\n]*'/g, hide);
}

function hide(text: string): string {
  return text.replaceAll('(', '\u0001').replaceAll(')', '\u0002');
}

test('docs/logs.md has each event of the code, and no other', () => {
  const page = readFileSync(join(root, 'docs/logs.md'), 'utf8');
  const listed = new Set(
    page.matchAll(/^\| `([^`]+)` +\| (?:info|warn|error)/gm).map(([, message = '']) => message),
  );
  const logged = loggedMessages();
  assert.ok(logged.size > 25, 'the calls are found');
  for (const [message, file] of logged) {
    assert.ok(listed.has(message), `${file} logs "${message}", which docs/logs.md does not have`);
  }
  for (const message of listed) {
    assert.ok(logged.has(message), `docs/logs.md has "${message}", which nothing logs`);
  }
});
