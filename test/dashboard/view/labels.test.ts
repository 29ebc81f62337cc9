import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  labelsLine,
  labelsTyped,
  labelWord,
  searchIn,
} from '../../../src/dashboard/view/labels.ts';

test('labels are one line, and nothing typed is none', () => {
  const labels = { client: 'Acme Co', env: 'a=b' };
  assert.equal(labelsLine(labels), 'client=Acme Co, env=a=b');
  assert.deepEqual(labelsTyped(labelsLine(labels)), labels);
  assert.deepEqual(labelsTyped(' client = acme ,,'), { client: 'acme' });
  assert.equal(labelsTyped('  '), null);
  // The API says what is wrong with it.
  assert.deepEqual(labelsTyped('client'), { client: '' });
  assert.equal(labelsLine(), '');
});

test('a search is labels and a text beside them', () => {
  assert.deepEqual(searchIn('nightly backup'), { q: 'nightly backup', selector: '' });
  assert.deepEqual(searchIn('client=acme'), { q: '', selector: 'client=acme' });
  assert.deepEqual(searchIn('client=acme backup env!=dev'), {
    q: 'backup',
    selector: 'client=acme,env!=dev',
  });
  assert.deepEqual(searchIn('client="Acme Co" team="a b" web'), {
    q: 'web',
    selector: 'client=Acme Co,team=a b',
  });
  assert.deepEqual(searchIn(labelWord('client', 'Acme Co')), { q: '', selector: 'client=Acme Co' });
  assert.deepEqual(searchIn('https://example.com/?a=b'), {
    q: 'https://example.com/?a=b',
    selector: '',
  });
});
