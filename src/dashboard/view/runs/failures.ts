/** What a failed run means and what can be done, in plain sentences. The page shows the `error` itself besides. */

import type { RunSummary } from '../../../api/runs/contract.ts';
import { errorWordOf } from '../../../domain/runs/reason.ts';
import type { ErrorWord, RunReason } from '../../../domain/runs/reason.ts';
import { refusedOnPurpose } from '../../../domain/targets/cloud-metadata.ts';
import { clock } from '../times.ts';

/** What is known of a failure besides its `error`. */
export interface Explanation {
  /** Continues `Failed: `, without a full stop. */
  summary: string;
  means: string;
  todo: string;
}

/** The fields of a run that explain it. */
export type ExplainedRun = Pick<
  RunSummary,
  'status' | 'why' | 'httpStatus' | 'attempts' | 'startedAt' | 'finishedAt'
>;

/** What a failure means, and what to do. WHEN stands for the times of the call. */
type Meaning = readonly [summary: string, means: string, todo: string];

const seeLog = "Look at the target's log WHEN.";

const runAgain = 'Run the job now if the call is still needed.';

/** By the first word of an `error`. */
export const failures: Record<ErrorWord, Meaning> = {
  timeout: [
    'there was no complete answer in time',
    'The error says what it was waiting for. The target may still have done its work.',
    'Raise the timeout, or let the target answer at once and work on. Else look at its log WHEN.',
  ],
  dns: [
    'the host name could not be looked up',
    'Nothing was sent: no address is known for the name.',
    'Check the host of the URL and its DNS records, then the DNS server of jobd.',
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
    'The TLS handshake failed, or the certificate is not valid for the host.',
    'Check the certificate of the target: its dates, its host names, and its chain.',
  ],
  protocol: [
    'the answer could not be read',
    'It is not valid HTTP, too large or broken off. The target may have done its work.',
    `${seeLog} Check the scheme and the port of the URL.`,
  ],
  blocked_address: [
    'the target may not be called',
    'Nothing was sent: jobd calls public addresses on ports 80 and 443, and what its operator allows.',
    'The operator of jobd can allow it with --allow-target.',
  ],
  redirect: [
    'the target answered with a redirect',
    'jobd does not follow redirects. The error says where it leads.',
    'Put the final address into the URL of the job.',
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
  missed: [
    'due times passed without a call',
    'A call starts within a minute of its due time or not at all.',
    `The error says why. ${runAgain}`,
  ],
  interrupted: [
    'nobody knows what came of the call',
    'jobd stopped, stood still or failed before the answer came. The request may have been sent, and is not sent again.',
    `${seeLog} ${runAgain}`,
  ],
};

/** By HTTP status, then by hundreds. */
const statuses: Record<number, readonly [means: string, todo: string]> = {
  4: ['It did not accept the request.', 'Check the URL, the method, the headers and the body.'],
  401: [
    'It got no valid credentials.',
    'Check the Authorization header of the job: a token may have expired.',
  ],
  403: ['It does not permit the request.', 'Check what the credentials of the job may do.'],
  404: ['It has nothing at this address.', 'Check the path of the URL.'],
  429: ['It got too many requests.', 'Call it less often.'],
  5: ['It, or a proxy before it, failed. It may have done its work.', seeLog],
  503: ['It cannot work on requests now.', `${seeLog} Retries of the job bridge short outages.`],
};

/** Reasons that say more than their word. */
const special: Partial<Record<RunReason, Meaning>> = {
  no_report: [
    'the target did not report in time',
    'It answered 202 and promised to report how its work ended. No report came. It may have done its work.',
    'See whether the target still works, and whether it can reach jobd. Let the job await more seconds if it needs them.',
  ],
  unopened: [
    'the job has lost its headers and its body',
    'Nothing was sent: no key opens what was stored.',
    'Set the headers and the body of the job again.',
  ],
  unsigned: [
    'there is no key to sign the call with',
    'Nothing was sent.',
    'Let a new key sign: jobd call-key rotate --now. Or save the job again.',
  ],
  unsent: [
    'the call could not be made',
    'Nothing was sent: the machine that runs jobd could not make the call.',
    failures.missed[2],
  ],
  blocked_metadata: [
    failures.blocked_address[0],
    failures.blocked_address[1],
    `It is ${refusedOnPurpose}.`,
  ],
};

/** Explains why a run was no success; null if it was none of these. `zone` is that of the job. */
export function explain(run: ExplainedRun, zone?: string): Explanation | null {
  const { why, httpStatus, attempts } = run;
  if (why === undefined) return null;
  const isStatus = why.reason === 'http' && httpStatus !== null;
  const [summary, means, todo] = isStatus
    ? ofStatus(httpStatus)
    : (special[why.reason] ?? failures[errorWordOf(why.reason)]);
  return {
    summary: run.status === 'failed' && attempts > 1 ? `${summary}, ${attempts} attempts` : summary,
    means,
    todo: todo.replace('WHEN', times(run, zone)),
  };
}

function ofStatus(status: number): Meaning {
  const [means, todo] = statuses[status] ??
    statuses[Math.floor(status / 100)] ?? [failures.http[1], failures.http[2]];
  return [`the target answered HTTP ${status}`, means, todo];
}

/** When the target may have seen the call. */
function times({ startedAt, finishedAt }: ExplainedRun, zone?: string): string {
  const [first, last] = [startedAt, finishedAt].map(
    (at) => at && clock(at, zone, { withSeconds: true }),
  );
  if (!first) return 'at that time';
  return last && last !== first ? `from ${first} to ${last}` : `at ${first}`;
}
