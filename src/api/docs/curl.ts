/** A call of an operation, as people try it in a shell. */

import { quoted } from '../../domain/shell/quote.ts';
import type { Operation } from '../description/openapi-document.ts';

/** The command; the key and the ids come from variables of the shell. */
export function curlOf(operation: Operation, method: string, path: string, apiUrl: string): string {
  const body = operation.requestBody?.content['application/json']?.example;
  const parts = [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    `"${apiUrl}${withVariables(path)}"`,
    ...(operation.security === undefined ? ['-H "Authorization: Bearer $JOBD_API_KEY"'] : []),
    ...headersOf(operation),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  const line = parts.slice(0, 2).join(' ');
  return [line, ...parts.slice(2)].join(' \\\n  ');
}

function headersOf({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((parameter) => parameter.in === 'header' && parameter.example !== undefined)
    .map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`);
}

/** `/jobs/{id}/runs/{runId}` is `/jobs/$JOB_ID/runs/$RUN_ID`. */
function withVariables(path: string): string {
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, nouns: string) => {
    const noun = nouns.replace(/ies$/, 'y').replace(/s$/, '');
    return `${nouns}/$${noun.toUpperCase()}_ID`;
  });
}
