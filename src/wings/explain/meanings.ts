/** What it means that a run was no success, and what can be done: plain sentences for each reason. */

import { refusedOnPurpose } from '../../domain/targets/cloud-metadata.ts';
import type { RunReason } from '../../domain/runs/reason.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import { isoTime } from '../../domain/clock.ts';
import { quoted } from '../../domain/quote.ts';
import { localTimeText } from '../../domain/schedule/local-time.ts';
import type { Records } from './records.ts';

/** The summary continues `it failed: `; the others are sentences. */
type Row = readonly [summary: string, means: string, todo: string];

/** WHEN stands for the times of the call, AGAIN for what calls once more, RETRY for advice where the job has no retries. */
const seeLog = "Look at the target's log WHEN.";
const runAgain = 'If the call is still needed, AGAIN.';
const notCalled = 'A call starts within a minute of its due time, or not at all.';

const byReason: Readonly<Record<RunReason, Row>> = {
  timeout: [
    'there was no complete answer in time',
    'The error says what it was waiting for. The target may have done its work all the same.',
    `${seeLog} Raise the timeout of the job, or let the target answer 202 at once and report later.`,
  ],
  no_report: [
    'the target did not report in time',
    'It answered 202, which promises a report of how its work ended. None came. It may have done its work.',
    'See whether the target still works, and whether it can reach jobd. Let the job await more seconds if it needs them.',
  ],
  dns: [
    'the host name could not be looked up',
    'Nothing was sent: no address is known for the name.',
    'Check the host in the URL and its DNS records, then the DNS server of the machine of jobd.',
  ],
  refused: [
    'no connection could be made',
    'Nothing was sent: nothing listens there, or the host cannot be reached.',
    'Check that the target runs, and that no firewall is between it and jobd.',
  ],
  reset: [
    'the connection broke off',
    'It ended before an answer came. The target may have received the request.',
    `${seeLog} It or a proxy may have been restarted.`,
  ],
  tls: [
    'there was no secure connection',
    'The TLS handshake failed, or the certificate is not valid for the host. The error says which.',
    'If it is the certificate, check its dates, its host names and its chain; if not, which clients the target takes.',
  ],
  no_tls: [
    'the target speaks no TLS',
    'Nothing was sent: the URL begins with https, and what answers at its port does not speak TLS.',
    'Check the scheme and the port of the URL: for plain HTTP, it begins with http.',
  ],
  protocol: [
    'the answer could not be read',
    'It is not valid HTTP, too large or broken off. The target may have done its work.',
    `${seeLog} If it speaks no HTTP, check the scheme and the port of the URL.`,
  ],
  unopened: [
    'the job has lost its headers and its body',
    'Nothing was sent: no key opens what was stored.',
    'Set the headers and the body of the job again.',
  ],
  unsigned: [
    'there is no key to sign the call with',
    'Nothing was sent: the job signs its calls.',
    'Let a new key sign: jobd call-key rotate --now. Or save the job again.',
  ],
  blocked_address: [
    'the target may not be called',
    'Nothing was sent: jobd calls public addresses on ports 80 and 443, and what its operator allows.',
    'With jobd serve --allow-target ADDRESS:PORT, the operator of jobd allows the address.',
  ],
  blocked_metadata: [
    'the target may not be called',
    'Nothing was sent: the address may be the metadata service of a cloud.',
    `It is ${refusedOnPurpose}.`,
  ],
  redirect: [
    'the target answered with a redirect',
    'jobd does not follow redirects.',
    'Put the final address into the URL of the job: curl -IL shows it.',
  ],
  http: [
    'the target answered with another status than 2xx',
    'Only a 2xx answer counts as success.',
    seeLog,
  ],
  reported: [
    'a failure was reported after an answer of 202',
    'The target answered at once and worked on. What was reported later is in the error.',
    seeLog,
  ],
  busy: [
    'its previous run took too long',
    `A job executes one run at a time. ${notCalled}`,
    'Give the job more time between its due times, or a shorter timeout.',
  ],
  not_running: [
    'jobd was not running',
    notCalled,
    'See in the log of jobd, or of what starts it, why it was down.',
  ],
  not_serving: [
    'no jobd reached the database',
    notCalled,
    'See in the logs of jobd, or of what starts it, whether it was down, or for how long it ran without its database.',
  ],
  outage: [
    'the database could not be used',
    notCalled,
    'See in the log of jobd what was wrong with the database; jobd doctor checks it.',
  ],
  standstill: [
    'jobd stood still',
    notCalled,
    'See whether the machine was suspended or had too little memory or processor time.',
  ],
  clock: [
    'the clock jumped',
    notCalled,
    'See whether the machine was suspended, or who set its clock.',
  ],
  restored: [
    'the database was restored from a backup',
    'Nobody knows whether the calls since the backup were made: the database before could not be asked.',
    "Look at the target's log of that time.",
  ],
  slots: [
    'all slots were in use',
    `Other calls had them. ${notCalled}`,
    'See which calls took long then: shorten their timeouts, or raise --slots.',
  ],
  late: ['jobd was too slow', notCalled, 'See the log of jobd and the load of its machine then.'],
  unsent: [
    'the call could not be made',
    'Nothing was sent: jobd, its machine or its database was in trouble.',
    'See the log of jobd.',
  ],
  cut_off: [
    'nobody knows what came of the call',
    'jobd stopped, stood still or failed before the answer came. The request may have been sent, and is not sent again.',
    seeLog,
  ],
};

/** By HTTP status, then by hundreds. */
const byStatus: Readonly<Record<number, readonly [means: string, todo: string]>> = {
  4: ['It did not accept the request.', 'Check the URL, the method, the headers and the body.'],
  401: [
    'It got no valid credentials.',
    'Check the Authorization header of the job: a token may have expired.',
  ],
  403: ['It does not permit the request.', 'Check what the credentials of the job may do.'],
  404: ['It has nothing at this address.', 'Check the path of the URL.'],
  429: ['It got too many requests.', 'Call it less often.'],
  5: ['It, or a proxy before it, failed. It may have done its work.', seeLog],
  503: [
    'The target, or a proxy before it, is likely to be overloaded or in maintenance.',
    `${seeLog}RETRY`,
  ],
};

/** What it means that a run was no success; null if it was one, or is under way. */
export function meaningOf({ reason, httpStatus }: RunSummary): Row | null {
  if (reason === null) return null;
  return reason === 'http' && httpStatus !== null ? ofStatus(httpStatus) : byReason[reason];
}

/** What can be done about that, and the command line that calls once more, if that is part of it. */
export function remedyOf(run: RunSummary | null, about: Pick<Records, 'job' | 'zone' | 'dueAt'>) {
  const [, , row] = (run && meaningOf(run)) ?? [];
  if (run === null || row === undefined) return { command: null };
  const isReplayable = run.source === 'scheduled' || run.dueAt !== undefined;
  // A job whose previous run took too long is called again soon.
  const isAgain = run.status === 'failed' ? isReplayable : run.reason !== 'busy';
  const name = quoted(about.job.name);
  const { missed = { last: about.dueAt } } = run;
  const which = missed.last === about.dueAt ? '' : ` --due-at ${isoTime(about.dueAt ?? 0)}`;
  const command = isReplayable
    ? `jobd runs replay ${name} ${run.id}${which}`
    : `jobd jobs run ${name}`;
  return {
    todo: (isAgain ? `${row} ${runAgain}` : row)
      .replace('WHEN', whenOf(run, about.zone))
      .replace('RETRY', about.job.retries === 0 ? ' Set retries to get over short outages.' : '')
      .replace('AGAIN', isReplayable ? 'replay the run' : 'run the job'),
    command: isAgain ? command : null,
  };
}

function ofStatus(status: number): Row {
  const [, means, todo] = byReason.http;
  const known = byStatus[status] ?? byStatus[Math.floor(status / 100)] ?? [means, todo];
  return [`the target answered HTTP ${status}`, ...known];
}

/** When the target may have seen the call. */
function whenOf({ startedAt, finishedAt }: RunSummary, zone: string): string {
  if (startedAt === null) return 'at that time';
  const first = localTimeText(startedAt, zone, true);
  const last = finishedAt === null ? first : localTimeText(finishedAt, zone, true);
  return last === first ? `at ${first}` : `from ${first} to ${last}`;
}
