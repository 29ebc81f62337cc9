/** Fields and parameters as a table: name, rules, meaning. */

import { refName, type Schema } from '../description/components.ts';
import type { Parameter } from '../description/openapi-document.ts';
import { html, inline, nothing, type Html } from './html.ts';

interface Row {
  name: string;
  isRequired: boolean;
  schema: Schema;
  description: string;
}

/** The fields of an object. `showsRequired` is for requests: answers always have all their fields. */
export function fieldTable(
  { properties = {}, required = [] }: Schema,
  showsRequired: boolean,
): Html {
  const rows = Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: showsRequired && required.includes(name),
    schema,
    description: schema.description ?? '',
  }));
  return table('Field', rows);
}

const places = { path: '', query: 'In the query. ', header: 'As a header. ' };

/** Parameters in the path, in the query and in headers. */
export function parameterTable(parameters: Parameter[]): Html {
  const rows = parameters.map(({ name, in: where, required, schema, description }) => ({
    name,
    isRequired: required && where !== 'path',
    schema,
    description: `${places[where]}${description}`,
  }));
  return table('Parameter', rows);
}

function table(what: string, rows: Row[]): Html {
  return html`<table class="fields">
    <thead>
      <tr>
        <th scope="col">${what}</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(row)}
    </tbody>
  </table>`;
}

function row({ name, isRequired, schema, description }: Row): Html {
  const required = isRequired ? html` <span class="required">required</span>` : nothing;
  const fallback =
    schema.default === undefined
      ? nothing
      : html`<span>default <code>${JSON.stringify(schema.default)}</code></span>`;
  const bounds = boundsOf(schema);
  return html`<tr>
    <th scope="row"><code>${name}</code>${required}</th>
    <td>
      <div class="rules">
        <span>${typeOf(schema)}</span>${bounds && html`<span>${bounds}</span>`}${fallback}
      </div>
      ${inline(description)}
    </td>
  </tr>`;
}

/** The type in words; a named type is a link. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.enum !== undefined) {
    const [first = nothing, ...others] = schema.enum.map(
      (value) => html`<code>${String(value)}</code>`,
    );
    return html`${first}${others.map((value) => html` <i>or</i> ${value}`)}`;
  }
  if (schema.items !== undefined) return html`array of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') {
    return html`object of ${typeOf(schema.additionalProperties)}s`;
  }
  const names = [schema.type ?? 'any'].flat();
  const formatted = formats[schema.format ?? ''] ?? 'string';
  return html`${names.map((name) => (name === 'string' ? formatted : name)).join(' or ')}`;
}

const formats: Record<string, string> = { 'date-time': 'time', uuid: 'UUID', uri: 'URL' };

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (maxLength === undefined) return '';
  return minLength === undefined
    ? `at most ${maxLength} characters`
    : `${minLength} to ${maxLength} characters`;
}
