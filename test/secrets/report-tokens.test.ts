import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import { reportTokens, newReportSecret } from '../../src/secrets/report-tokens.ts';

test('a token names its run and no other, whatever part of it is changed', () => {
  const secret = newReportSecret();
  const { tokenOf, runIdOf } = reportTokens(secret);
  const [one, other] = [newId(1), newId(2)];
  const token = tokenOf(one);
  assert.match(token, /^[\w-]{64}$/);
  assert.equal(runIdOf(token), one);
  assert.equal(reportTokens(secret).runIdOf(token), one, 'every node reads it');
  assert.equal(reportTokens(newReportSecret()).runIdOf(token), null, 'no other jobd does');
  for (let index = 0; index < token.length; index += 1) {
    const changed = token.charAt(index) === 'A' ? 'B' : 'A';
    assert.equal(runIdOf(token.slice(0, index) + changed + token.slice(index + 1)), null);
  }
  const swapped = tokenOf(other).slice(0, 22) + token.slice(22);
  for (const text of ['', 'x', token.slice(1), `${token}A`, `${token}=`, swapped, ` ${token}`]) {
    assert.equal(runIdOf(text), null, text);
  }
});
