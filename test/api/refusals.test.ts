/**
 * What a use case says that it throws, by codes in its comment, the description of the API says of the operations that call it: a
 * client that reads one of them is right.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { errorCodes, type ErrorCode } from '../../src/domain/errors.ts';
import { publishedDescription } from '../support/checks/description.ts';

/** What any operation may answer. */
const usual = new Set<ErrorCode>(['invalid_input', 'unauthenticated', 'unavailable']);

/** The codes in the comment of an exported function. */
function codesOf(file: string, name: string): ErrorCode[] {
  const [before = ''] = readFileSync(file, 'utf8').split(
    new RegExp(`^export (?:async )?function ${name}\\b`, 'm'),
  );
  const comment = before.slice(before.lastIndexOf('/**'));
  const [, thrown = ''] = /\bThrows\b([^]*)/i.exec(comment) ?? [];
  return Object.keys(errorCodes).filter((code) => thrown.includes(`\`${code}\``)) as ErrorCode[];
}

/** The functions that the route of each operation calls, with their files. */
function callsIn(file: string): { operation: string; from: string; name: string }[] {
  const text = readFileSync(file, 'utf8');
  const imports = text.matchAll(/^import \{([^}]*)\} from '(\.[^']*)';$/gm);
  const places = new Map(
    [...imports].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => [name.trim(), join(dirname(file), from)] as const),
    ),
  );
  const prepared = new Map(
    [...text.matchAll(/const (\w+) = \{ \.\.\.operations\.(\w+)/g)].map(([, variable, name]) => [
      variable,
      name,
    ]),
  );
  const [, ...routes] = text.split(/^ {2}server\.(?:get|post|patch|put|delete)\b/m);
  return routes.flatMap((code) => {
    const [route = ''] = code.split(/\n\n|\n {2}const /);
    const [, named] = /operations\.(\w+)/.exec(route.split('=>')[0] ?? '') ?? [];
    const [, variable] = /^\([^,]*,\s*(\w+),/.exec(route) ?? [];
    const operation = named ?? prepared.get(variable);
    if (operation === undefined) return [];
    return [...route.matchAll(/\b(\w+)\(app\b/g)].flatMap(([, name = '']) => {
      const from = places.get(name);
      return from === undefined ? [] : [{ operation, from, name }];
    });
  });
}

test('an operation is described with every refusal of what it does', async () => {
  const { paths } = await publishedDescription();
  const described = new Map(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((operation) => [operation.operationId, operation] as const),
    ),
  );
  const calls = globSync('src/{api,wings}/**/*.ts').flatMap(callsIn);
  assert.ok(calls.length > 40, `${calls.length} were found`);
  const missing = calls.flatMap(({ operation, from, name }) => {
    const responses = described.get(operation)?.responses ?? {};
    return codesOf(from, name)
      .filter((code) => !usual.has(code))
      .flatMap((code) => {
        const answer = responses[errorCodes[code].httpStatus];
        const isSaid =
          answer !== undefined &&
          (code !== 'forbidden' || answer.description !== 'The key may only read.');
        return isSaid ? [] : [`${operation}: ${code} of ${name}`];
      });
  });
  assert.deepEqual(missing, []);
});
