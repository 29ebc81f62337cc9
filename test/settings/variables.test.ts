/** Variables that have no effect because of their names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environment, unknownVariables, unknownWords } from '../../src/settings/variables.ts';

test('a name that begins as those of jobd do is known, or is named', () => {
  const names = environment.map(([name]) => name);
  assert.deepEqual(unknownVariables([...names, 'JOBD_DOWNLOAD_URL', 'PATH', 'MY_JOBD_PORT']), []);
  const rows: [name: string, meant: string | null][] = [
    ['JOBD_ALOW_TARGETS', 'JOBD_ALLOW_TARGETS'],
    ['JOBD_ALLOWED_TARGETS', 'JOBD_ALLOW_TARGETS'],
    ['JOBD_BASEURL', 'JOBD_BASE_URL'],
    ['jobd_port', 'JOBD_PORT'],
    ['JOBD_SECRETKEY_FILE', 'JOBD_SECRET_KEY_FILE'],
    ['JOBD_DATA_DIRECTORY', 'JOBD_DATA'],
    ['JOBD_COLOUR_OF_THE_SKY', null],
  ];
  for (const [variable, meant] of rows) {
    const found = unknownVariables([variable]);
    assert.deepEqual(found, [{ variable, meant }]);
    assert.ok(unknownWords({ variable, meant }).includes(meant ?? 'jobd help environment'));
  }
});

test('what Kubernetes says about services is not for jobd', () => {
  const ofServices = ['JOBD', 'JOBD_DB'].flatMap((service) => [
    `${service}_SERVICE_HOST`,
    `${service}_SERVICE_PORT`,
    `${service}_SERVICE_PORT_HTTP`,
    `${service}_PORT_8080_TCP`,
    `${service}_PORT_8080_TCP_ADDR`,
  ]);
  assert.deepEqual(unknownVariables([...ofServices, 'JOBD_DB_PORT']), []);
  assert.equal(unknownVariables(['JOBD_DB_PORT']).length, 1);
});
