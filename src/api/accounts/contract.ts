/** What the API returns about a key, its workspace and the plan of its account, about the audit trail and the daemon. */

import { nodeRoles } from '../../domain/nodes.ts';
import { Type, type Static } from 'typebox';
import { actorTypes, auditActions, auditActionWords } from '../../domain/accounts/audit.ts';
import { permissions } from '../../domain/accounts/key.ts';
import { planNames, plans } from '../../domain/accounts/plan.ts';
import { spaceCauses } from '../../domain/space.ts';
import { PageQuery, partialPage } from '../http/contract.ts';
import * as t from '../http/schema.ts';

const example = {
  workspace: { id: '0199c6a0-1b2c-7d3e-8f40-51627384a5b6', name: 'production' },
  permission: 'write',
  plan: plans.pro,
  usage: { jobs: 37, monitors: 0, results: 8_212 },
  expiresAt: '2025-10-23T00:00:00.000Z',
  trialEndsAt: '2025-10-23T00:00:00.000Z',
};

export const Me = t.output('Me', 'A key, its workspace and the plan of its account.', example, {
  workspace: t.part('The workspace of the key.', {
    id: t.id('The id of the workspace.'),
    name: t.text('The name of the workspace.'),
  }),
  permission: t.oneOf(permissions, 'What the key may do: only read, or also write.'),
  plan: t.part('The limits of the plan. Null means no limit.', {
    name: t.oneOf(planNames, 'The plan of the account.'),
    jobs: t.integerOrNull('The most jobs and monitors together, including paused ones.'),
    minIntervalSeconds: t.integer(
      'The shortest interval between two due times of a schedule, in seconds.',
    ),
    maxTimeoutSeconds: t.integer('The longest duration of one attempt, in seconds.'),
    results: t.integer('The most results that are kept, of all jobs together.'),
    retentionDays: t.integer('How long a result is kept, in days.'),
  }),
  usage: t.part(
    'What the account uses in all its workspaces. Above 1,000 jobs it is counted once a minute.',
    {
      jobs: t.integer('Jobs, including paused ones.'),
      monitors: t.integer('Monitors, including paused ones.'),
      results: t.integer('Results that are kept.'),
    },
  ),
  expiresAt: t.momentOrNull('When it expires or expired, which stops its jobs; null if never.'),
  trialEndsAt: t.momentOrNull('When the trial ends or ended; null for an account without a trial.'),
});
export type Me = Static<typeof Me>;

const entryExample = {
  number: 1_042,
  at: '2025-10-09T06:41:12.000Z',
  actor: { type: 'key', id: '0199c6a0-5d2f-7f11-8a3b-90817263544a', name: 'deploy' },
  address: '203.0.113.7',
  forwardedFor: null,
  action: 'job.update',
  subject: { id: '0199c6f0-7a4e-7b21-9c8d-5f6e7d8c9b0a', name: 'Nightly backup' },
  fields: ['url', 'headers'],
  count: 1,
};

export const AuditEntry = t.output('AuditEntry', 'A change that somebody made.', entryExample, {
  number: t.integer('Grows by one from entry to entry of a workspace.'),
  at: t.moment('When it was made.'),
  actor: Type.Object(
    {
      type: t.oneOf(
        actorTypes,
        'An API key, a session in a browser, or a command on the data directory.',
      ),
      id: t.text('The id of the key or session; for a command, the user who ran it.'),
      name: t.text('The name of the key at that time, or the user.'),
    },
    { description: 'Who made it.' },
  ),
  address: t.textOrNull(
    'The client: the address of the connection, or whom a trusted proxy names; null for a command.',
  ),
  forwardedFor: t.textOrNull(
    'What `X-Forwarded-For` of a proxy that is not trusted said last: true only if a proxy in front of jobd wrote it.',
  ),
  action: t.oneOf(auditActions, 'What was done.'),
  subject: Type.Object(
    {
      id: t.id('The id of the job, monitor, channel, key, session, workspace or account.'),
      name: t.text('Its name at that time.'),
    },
    { description: 'To what it was done.' },
  ),
  fields: t.array(
    t.text('The name of a field.'),
    'The fields that an update changed; never their values.',
  ),
  count: t.integer(
    'How often it was done: the same update, by the same actor, within a minute from `at`, is one entry. Of `job.create`, how many jobs a request made, `subject` and others.',
  ),
  runId: Type.Optional(t.id('The run, of `job.run`, `job.replay` and `job.report`.')),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditList = t.envelope('AuditList', partialPage('entries', AuditEntry));
export type AuditList = Static<typeof AuditList>;

export const AuditQuery = t.query({
  ...PageQuery.properties,
  subject: Type.Optional(t.id('Only changes to the job, monitor, channel or key with this id.')),
  actor: Type.Optional(
    t.text('Only changes by the key or session with this id, or by commands of this user.'),
  ),
  action: Type.Optional(
    t.oneOf(auditActionWords, 'Only this action, or all actions on this type of subject.'),
  ),
});

export const AboutNode = t.output(
  'Node',
  'A process that serves the database.',
  {
    id: '01999f3c-7c00-7a2b-8c4d-1f2e3a4b5c6d',
    host: 'a.example',
    pid: 812,
    role: 'leader',
    version: '1.4.0',
    startedAt: '2025-10-09T08:00:00.000Z',
    leaseUntil: '2025-10-09T09:00:12.000Z',
    endedAt: null,
    clockLeadMs: 3,
    calls: 2,
    slots: 512,
  },
  {
    id: t.text('Its id: each start is a node of its own.'),
    host: t.text('The name of its machine.'),
    pid: t.integer('The id of its process.'),
    role: t.oneOf(
      nodeRoles,
      'The `leader` also does what is done once for all; a `draining` one waits for its last calls and stops; a `silent` one did not renew its lease, and is `gone` soon.',
    ),
    version: t.text('The version of jobd.'),
    startedAt: t.moment('When it was started.'),
    leaseUntil: t.momentOrNull('Until when its lease lasts; null if it has ended.'),
    endedAt: t.momentOrNull('When it stopped or was declared gone; null if it has not ended.'),
    clockLeadMs: t.integer('How far the clock of its machine is ahead of that of the database.'),
    calls: t.integer('Calls in flight when it renewed its lease last.'),
    slots: t.integer('The most calls in flight.'),
  },
);

export type AboutNode = Static<typeof AboutNode>;

export const AboutFinding = t.output(
  'AboutFinding',
  'What an operator should see to.',
  {
    code: 'space-short',
    result: 'warn',
    detail:
      'the disk is nearly full: the oldest history is removed before its time; free space, or raise the limit',
    notes: [],
  },
  {
    code: t.text('What was found, for programs.'),
    result: t.oneOf(['warn', 'fail'], '`fail`: jobd does not work, or loses something.'),
    detail: t.text('What is wrong and what to do, in a sentence.'),
    notes: t.array(t.text('A line.'), 'Details and remedies.'),
  },
);

export type AboutFinding = Static<typeof AboutFinding>;

export const About = t.output(
  'About',
  'The daemon that answers.',
  {
    version: '1.4.0',
    timeZoneData: '2025b in /usr/share/zoneinfo, 2025a is built in',
    startedAt: '2025-10-09T08:00:00.000Z',
    siteUrl: 'https://jobs.example.com',
    isSigning: true,
    databaseBytes: 4_194_304,
    freeBytes: 21_474_836_480,
    space: {
      limitBytes: 21_474_836_480,
      shortOf: [],
      isExhausted: false,
      removedResults: 0,
      removedPings: 0,
      lastRemovedAt: null,
    },
    ledger: { checkedAt: '2025-10-09T08:01:00.000Z', dueTimes: 1440, wrong: 0 },
    findings: [],
    mailIsConfigured: false,
    nodes: [],
  },
  {
    version: t.text('The version of jobd.'),
    timeZoneData: t.text('The release of the time-zone data in use, and where it comes from.'),
    startedAt: t.moment('When it was started.'),
    siteUrl: t.text('The URL under which people reach it.'),
    isSigning: t.flag('Whether it issues receipts.'),
    databaseBytes: t.integer('The size of the database, without its write-ahead log.'),
    freeBytes: t.integerOrNull(
      'Free space on the disk of the data directory; null if the database is on a server.',
    ),
    space: t.part('Whether history is kept as long as plans say.', {
      limitBytes: t.integerOrNull('`--max-database-size`; null without it.'),
      shortOf: t.array(
        t.oneOf(spaceCauses, 'The database nears its limit, or the disk is nearly full.'),
        'Why history is removed before its time now; empty if there is enough space.',
      ),
      isExhausted: t.flag('Whether space is short, and no history is left to remove.'),
      removedResults: t.integer('Results removed before their time since the database was made.'),
      removedPings: t.integer('Pings removed before their time.'),
      lastRemovedAt: t.momentOrNull('When that last happened; null if never.'),
    }),
    ledger: t.nullable(
      t.part('What the last daily check of the ledger found; null before the first.', {
        checkedAt: t.moment('When it began.'),
        dueTimes: t.integer('Due times that are accounted for.'),
        wrong: t.integer('Due times without a trace, and runs that were not due.'),
      }),
    ),
    findings: t.array(
      AboutFinding,
      'What an operator should see to: why jobd cannot do its work now, and what `GET /readyz` notes all the same.',
    ),
    mailIsConfigured: t.flag('Whether it has a mail server for alert email.'),
    nodes: t.array(
      AboutNode,
      'Who serves a database on a server, and who did within a day, the oldest first; empty if it is a file.',
    ),
  },
);
export type About = Static<typeof About>;
