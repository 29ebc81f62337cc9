/**
 * A fact is a field (docs/decisions/0004-rules-are-data.md#0082): no code asks the text of a message what happened. Each file that
 * may has the reason; such a file that does it no more leaves the list.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/suite/suites.ts';

const message = String.raw`(?:error|message|messageOf\(\w+\)|sentence|refusal|lastError|trouble|downReason|reason|said|notes?|todo|advice|hint|stderr)`;
const value = String.raw`\b${message}(?: \?\? ''\))?\??`;
const asks = String.raw`(?:match|matchAll|includes|startsWith|endsWith|indexOf|search|split|replace|replaceAll)`;
/** A search in a message: `error.message.includes(…)`, `/…/.exec(error ?? '')`. */
const isAsked = new RegExp(
  String.raw`${value}\.${asks}\(|\.(?:exec|test)\((?:\(\w+ as Error\)\.|\w+\??\.)*${message}\b`,
);

const theirs = 'a text of others, who have no field for it';
const asField = 'the API says the field first; a page and options call it otherwise';
const allowed: Readonly<Record<string, string>> = {
  'src/base/log.ts': 'leaves out the words of a cause that are said already',
  'src/cli/client/option-words.ts': asField,
  'src/dashboard/view/forms.ts': asField,
  'src/domain/runs/read-report.ts': 'a message of people, which is kept',
  'src/egress/mail.ts': theirs,
  'src/store/postgres/errors.ts': theirs,
  'src/store/sqlite/addon.ts': theirs,
  'src/store/sqlite/connection.ts': theirs,
  'src/wings/backups/age.ts': theirs,
  'src/wings/calls/command.ts': asField,
  'src/wings/definitions/client/parse-file.ts': theirs,
  'src/wings/definitions/client/read-definition.ts': asField,
  'src/wings/definitions/client/server.ts': asField,
  'src/wings/replay/command.ts': asField,
};

test('no code asks a message what happened', () => {
  const asking = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return text.split('\n').some((line) => isAsked.test(line));
  });
  assert.deepEqual(asking.toSorted(), Object.keys(allowed).toSorted());
});
