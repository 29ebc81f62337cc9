/** What a badge says and draws (docs/behavior.md#badge-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { pictureOf } from '../../../src/wings/badge/picture.ts';
import { said, type Counts } from '../../../src/wings/badge/state.ts';

const none = { up: 0, down: 0, new: 0, paused: 0 };

test('paused and new jobs are no part of what is up or down', () => {
  const rows: [Partial<Counts>, string, string, boolean][] = [
    [{}, 'no results', 'lightgrey', false],
    [{ new: 3 }, 'no results', 'lightgrey', false],
    [{ new: 1, paused: 3 }, 'no results', 'lightgrey', false],
    [{ paused: 3 }, 'paused', 'lightgrey', false],
    [{ up: 1 }, 'up', 'brightgreen', false],
    [{ up: 2, new: 5, paused: 5 }, 'up', 'brightgreen', false],
    [{ up: 10, down: 2, new: 5, paused: 5 }, '2 of 12 down', 'red', true],
    [{ down: 12 }, '12 of 12 down', 'red', true],
    [{ down: 1, paused: 4 }, 'down', 'red', true],
  ];
  for (const [counts, message, colour, isError] of rows) {
    const { colour: shown, ...words } = said({ ...none, ...counts });
    assert.deepEqual({ ...words, colour: shown.name }, { message, isError, colour });
  }
});

/** What stands for a character of XML. */
const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
/** The characters of XML 1.0 (section 2.2), as XML parsers take them. */
const isXml = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const state = said({ ...none, up: 1 });

/** The tags of a picture, without its widths and texts. */
function skeleton(picture: string): string[] {
  const tags = picture.match(/<[^>]*>/g) ?? [];
  return tags.map((tag) => tag.replaceAll(/"[\d.]+"/g, '""').replace(/aria-label="[^"]*"/, ''));
}

test('whatever the name is, the picture is the same XML with another text', () => {
  const plain = skeleton(pictureOf('acme', state));
  const nasty = fc.constantFrom(
    '</text><script>alert(1)</script>',
    '" onload="alert(1)',
    ']]><!--',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;',
    '\u0000\u0001\u001b[2J\ufffe\uffff\ud800',
    '\u202eevil\u2066',
    '&amp;&#0;',
  );
  const name = fc.array(fc.oneof(nasty, fc.anyText(10)), { maxLength: 4 });
  fc.assert(
    fc.property(name, (parts) => {
      const bytes = Buffer.from(pictureOf(parts.join(''), state));
      const picture = bytes.toString('utf8');
      assert.deepEqual(skeleton(picture), plain);
      assert.match(picture, isXml);
      const [, title = ''] = /<title>(.*?)<\/title>/s.exec(picture) ?? [];
      const left = title.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) =>
        one in entities ? '' : one,
      );
      assert.doesNotMatch(left, /[&<>"]/);
    }),
  );
});

test('a picture is as wide as its texts, and no name makes it costly', () => {
  const widthOf = (name: string) => Number(/width="(\d+)"/.exec(pictureOf(name, state))?.[1]);
  assert.ok(widthOf('iiii') < widthOf('aaaa') && widthOf('aaaa') < widthOf('WWWW'));
  assert.equal(widthOf('漢'.repeat(3)) - widthOf('漢'), 22);
  assert.ok(pictureOf('"'.repeat(120), state).length < 4_000);
});
