/** A job's call as a curl command for a shell. */

import type { Job } from '../../api/jobs/contract.ts';
import { quoted } from '../../domain/shell/quote.ts';

/** The fields of a job that make its call. */
export type CalledJob = Pick<Job, 'method' | 'url' | 'headerNames' | 'body'>;

/**
 * The command that makes the call of a job. No key can read header values, so it takes them from shell variables:
 * `Authorization` from `$AUTHORIZATION_VALUE`.
 */
export function curlCommand({ method, url, headerNames, body }: CalledJob): string {
  const hasType = headerNames.some((name) => name.toLowerCase() === 'content-type');
  return [
    `curl${methodOf(method, body)}`,
    // Brackets and braces would mean several URLs.
    `${/[[\]{}]/.test(url) ? '-g ' : ''}${word(url)}`,
    ...headerNames.map((name) => `-H ${word(`${name}: `)}"$${variable(name)}"`),
    // A job sends text where curl would send a form.
    ...(body === null || hasType
      ? []
      : [`-H ${quoted('Content-Type: text/plain; charset=utf-8')}`]),
    ...(body === null ? [] : [`--data-raw ${word(body)}`]),
  ].join(' \\\n  ');
}

function methodOf(method: CalledJob['method'], body: string | null): string {
  if (method === 'HEAD') return ' --head';
  return method === (body === null ? 'GET' : 'POST') ? '' : ` -X ${method}`;
}

/** The end of the name keeps it apart from variables that a shell has, such as `$PATH`. */
function variable(name: string): string {
  return `${name.toUpperCase().replaceAll(/\W/g, '_').replace(/^\d/, '_$&')}_VALUE`;
}

/** Control characters are written as escapes: a terminal would obey them. */
const controls = new RegExp(String.raw`[\0-\u0008\u000b-\u001f\u007f-\u009f]`, 'g');

/** A word of the shell. */
function word(text: string): string {
  if (text.search(controls) === -1) return quoted(text);
  const escaped = text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll(controls, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}
