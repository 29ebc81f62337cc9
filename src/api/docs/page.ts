/** The reference page: one HTML document without scripts, generated from the API description alone. */

import type { Schema } from '../description/components.ts';
import type { OpenApiDocument, Operation } from '../description/openapi-document.ts';
import { fieldTable, typeOf } from './fields.ts';
import { html, nothing, prose, type Html } from './html.ts';
import { methodBadge, operationArticle } from './operation.ts';

interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

/** Returns the page. Its links are relative, so it works below any path. */
export function referencePage(document: OpenApiDocument): string {
  const { info, servers } = document;
  const apiUrl = servers[0]?.url ?? '';
  const operations = placedOperations(document);
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const { schemas } = document.components;
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API ${info.version}</title>
        <link rel="stylesheet" href="docs.css" />
      </head>
      <body>
        <a class="skip" href="#main">To the content</a>
        <nav aria-label="Contents">
          <p class="brand">
            <span><b>${info.title}</b> <span class="quiet">API</span></span>
            <a href="./">Dashboard</a>
          </p>
          <details>
            <summary>Contents</summary>
            ${groups.map(({ name, operations: own }) => navigation(name, own))}
            <p class="group"><a href="#shapes">Shapes</a></p>
            <ul class="names">
              ${Object.keys(schemas).map((name) => html`<li><a href="#${name}">${name}</a></li>`)}
            </ul>
          </details>
        </nav>
        <main id="main" tabindex="-1">
          <header>
            <h1>${info.title} API <span>${info.version}</span></h1>
            <p class="base">
              <span class="quiet">Base URL</span> <code>${apiUrl}</code>
              <a href="api/v1/openapi.json">openapi.json</a>
            </p>
            ${prose(info.description)}
          </header>
          ${groups.map(
            (group) =>
              html`<section id="${anchorOf(group.name)}">
                <h2>${group.name}</h2>
                <p>${group.description}</p>
                ${group.operations.map(({ method, path, operation }) =>
                  operationArticle(operation, { method, path, apiUrl, schemas }),
                )}
              </section>`,
          )}
          <section id="shapes">
            <h2>Shapes</h2>
            <p>The objects in requests and answers.</p>
            ${Object.entries(schemas).map(([name, schema]) => shape(name, schema))}
          </section>
        </main>
      </body>
    </html> `;
  return markup;
}

function placedOperations({ paths }: OpenApiDocument): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Ids cannot contain spaces. */
function anchorOf(group: string): string {
  return group.replaceAll(' ', '-');
}

function navigation(group: string, operations: Placed[]): Html {
  return html`<p class="group"><a href="#${anchorOf(group)}">${group}</a></p>
    <ul>
      ${operations.map(
        ({ method, operation }) =>
          html`<li>
            <a href="#${operation.operationId}">${methodBadge(method)}${operation.summary}</a>
          </li>`,
      )}
    </ul>`;
}

function shape(name: string, schema: Schema): Html {
  const { description, additionalProperties, anyOf } = schema;
  return html`<article class="shape" id="${name}">
    <h3><a href="#${name}">${name}</a></h3>
    ${description === undefined ? nothing : prose(description)}
    ${
      anyOf === undefined
        ? fieldTable(schema, additionalProperties === false)
        : html`<ul class="names">
            ${anyOf.map((one) => html`<li>${typeOf(one)}</li>`)}
          </ul>`
    }
  </article>`;
}
