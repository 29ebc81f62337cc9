/** The curl command for an operation. */

import { quoted } from '../../domain/shell/quote.ts';
import type { Operation } from '../description/openapi-document.ts';

/** Returns the command. It takes the key and the ids from shell variables. */
export function curlOf(operation: Operation, method: string, path: string, apiUrl: string): string {
  const { parameters = [], requestBody, security } = operation;
  const body = requestBody?.content['application/json']?.example;
  const headers = parameters.filter(({ in: where, example }) => where === 'header' && example);
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${apiUrl}${withVariables(path)}"`,
    ...(security === undefined ? ['-H "Authorization: Bearer $JOBD_API_KEY"'] : []),
    ...headers.map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

/** `/jobs/{id}/runs/{runId}` becomes `/jobs/$JOB_ID/runs/$RUN_ID`. */
function withVariables(path: string): string {
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, nouns: string) => {
    const noun = nouns.replace(/ies$/, 'y').replace(/s$/, '');
    return `${nouns}/$${noun.toUpperCase()}_ID`;
  });
}
