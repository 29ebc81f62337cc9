/** One operation: its description, parameters, answers and a curl command. */

import { quoted } from '../../domain/quote.ts';
import { resolve, type Schema } from '../description/components.ts';
import type { Answer, Operation } from '../description/openapi-document.ts';
import { fieldTable, parameterTable } from './fields.ts';
import { html, inline, json, nothing, prose, type Html } from './html.ts';

export interface Place {
  method: string;
  path: string;
  apiUrl: string;
  schemas: Record<string, Schema>;
}

/** The article of an operation. */
export function operationArticle(operation: Operation, place: Place): Html {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const input = requestBody && onlyOf(requestBody.content)?.schema;
  return html`<article id="${operationId}">
    <div class="text">
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="route">${methodBadge(place.method)}<code>${place.path}</code></p>
      <p class="marks"><span>${operationId}</span>${marksOf(operation)}</p>
      ${prose(description)}
      ${
        parameters.length === 0
          ? nothing
          : html`<h4>Parameters</h4>
              ${parameterTable(parameters)}`
      }
      ${
        input === undefined
          ? nothing
          : html`<h4>Body</h4>
              ${
                requestBody?.description === undefined
                  ? fieldTable(resolve(input, place.schemas), true)
                  : prose(requestBody.description)
              }`
      }
      <h4>Answers</h4>
      <dl class="answers">${Object.entries(operation.responses).map(answerItem)}</dl>
    </div>
    <div class="sample">
      <h4>Request</h4>
      <pre tabindex="0"><code>${curlOf(operation, place)}</code></pre>
      ${sampleAnswer(operation)}
    </div>
  </article>`;
}

/** The HTTP method, in its own colour. */
export function methodBadge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

function marksOf({ security, ...operation }: Operation): Html {
  const open = security === undefined ? nothing : html`<span>no key needed</span>`;
  return html`${open}${operation['x-extension'] ? html`<span>extension</span>` : nothing}`;
}

function answerItem([status, { description, headers = {}, content }]: [string, Answer]): Html {
  const name = onlyOf(content)?.schema.$ref?.split('/').at(-1);
  const named = name === undefined ? nothing : html` <a href="#${name}">${name}</a>`;
  const isFailure = Number(status) >= 400;
  return html`<div>
    <dt class="${isFailure ? 'failure' : 'success'}">${status}</dt>
    <dd>
      ${inline(description)}${isFailure ? nothing : named}${Object.keys(headers).map(
        (header) => html` <span class="header">${header}</span>`,
      )}
    </dd>
  </div>`;
}

function sampleAnswer({ responses }: Operation): Html {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300);
  if (success === undefined) return nothing;
  const [status, { content }] = success;
  const example = onlyOf(content)?.example;
  if (example === undefined) return nothing;
  return html`<h4>Answer ${status}</h4>
    <pre tabindex="0"><code>${json(example)}</code></pre>`;
}

/** An answer has one media type: JSON, or that of a stream. */
function onlyOf(content: Answer['content']): Answer['content'][string] | undefined {
  return Object.values(content)[0];
}

/** A curl command. It takes the key and the ids from shell variables. */
function curlOf(
  { parameters = [], requestBody, security, servers }: Operation,
  { method, path, apiUrl }: Place,
): string {
  const [type = '', { example: body } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const data = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const examples = Object.fromEntries(
    parameters.map(({ name, example }) => [name, String(example)]),
  );
  const headers = parameters.filter(
    ({ in: where, example }) => where === 'header' && example !== undefined,
  );
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${servers?.[0]?.url ?? apiUrl}${withVariables(path, examples)}"`,
    ...(security === undefined ? ['-H "Authorization: Bearer $JOBD_API_KEY"'] : []),
    ...headers.map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${type}'`, `-d ${quoted(data)}`]),
  ].join(' \\\n  ');
}

/** `/jobs/{id}/runs/{runId}` becomes `/jobs/$JOB_ID/runs/$RUN_ID`. What is no id gets its example. */
function withVariables(path: string, examples: Record<string, string>): string {
  return path
    .replaceAll(/\b(\w+)\/\{\w+\}/g, (_, nouns: string) => {
      const noun = nouns.replace(/ies$/, 'y').replace(/s$/, '');
      return `${nouns}/$${noun.toUpperCase()}_ID`;
    })
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? '');
}
