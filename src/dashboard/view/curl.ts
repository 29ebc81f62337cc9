import type { Job } from '../../api/jobs/contract.ts';
import { beyondJson } from '../../domain/characters.ts';

/** The fields of a job that make its call. */
export type CalledJob = Pick<Job, 'method' | 'url' | 'headerNames' | 'body'>;

/** The command that makes the call of a job. No key reads header values, so they come from variables such as `$AUTHORIZATION_VALUE`. */
export function curlCommand({ method, url, headerNames, body }: CalledJob): string {
  const hasType = headerNames.some((name) => name.toLowerCase() === 'content-type');
  return [
    `curl${methodOf(method, body)}`,
    // Brackets and braces would mean several URLs.
    `${/[[\]{}]/.test(url) ? '-g ' : ''}${word(url)}`,
    ...headerNames.map((name) => `-H ${word(`${name}: `)}"$${variable(name)}"`),
    // A job sends text where curl would send a form.
    ...(body === null || hasType ? [] : [`-H ${word('Content-Type: text/plain; charset=utf-8')}`]),
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

/** What a terminal would obey, and marks that make a text look like another. Line ends and tabs stay. */
const unseen = new RegExp(String.raw`[\0-\u0008\u000b-\u001f${beyondJson}]+`, 'g');

/**
 * A word of any shell: bash, dash, zsh and fish read it the same. Quotes and backslashes are in quotes of the other kind, as
 * fish reads `\'` differently, and dash has no `$'…'`.
 */
function word(text: string): string {
  const inner = text
    .replaceAll(/['\\]/g, (mark) => (mark === "'" ? `'"'"'` : `'"\\\\"'`))
    .replaceAll(unseen, (run) => `'"$(printf '${octal(run)}')"'`);
  return `'${inner}'`;
}

function octal(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text));
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
