/** The files of a service, read as systemd reads them. Each file of variables here was given to systemd 252 as well. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEnvironmentFile, parseUnit } from '../../src/domain/unit-files.ts';

test('a file of variables means what systemd makes of it', () => {
  const rows: [text: string, variables: Record<string, string>][] = [
    ['A=1\nB=two words \n', { A: '1', B: 'two words' }],
    ['  A = 1\n', { A: '1' }],
    ['A="1 2"\nB=\'3 $4\'\n', { A: '1 2', B: '3 $4' }],
    ['A="1" "2"\n', { A: '12' }],
    ['A=1 "2"\n', { A: '1 "2"' }],
    ['A="a\\"b\\\\c\\$d\\e"\n', { A: 'a"b\\c$d\\e' }],
    ["A='a\\b'\n", { A: 'a\\b' }],
    ['A=a\\ b\\\nc\n', { A: 'a bc' }],
    ['A="line\nnext"\nB=1\n', { A: 'line\nnext', B: '1' }],
    ['A="a \\\nb"\n', { A: 'a b' }],
    ['# A=1\n; A=2\n  # A=3\nB=4 # no comment\n', { B: '4 # no comment' }],
    ['# continues \\\nA=1\nB=2\n', { B: '2' }],
    ['A=1\nA=2\n', { A: '2' }],
    ['A=\n', { A: '' }],
    ['A=1\r\nB="2"\r\n', { A: '1', B: '2' }],
    ['A="never closed\nB=1\n', { A: 'never closed\nB=1\n' }],
    ['A="a"b c\nB=\'x\'"y" z\n', { A: 'ab c', B: 'xyz' }],
    ['A=a\tb\t\n', { A: 'a\tb' }],
    ['', {}],
  ];
  for (const [text, variables] of rows) {
    assert.deepEqual(parseEnvironmentFile(text), { variables, ignored: [] }, text);
  }
});

test('lines that systemd ignores are named without their values', () => {
  const { variables, ignored } = parseEnvironmentFile(
    'A="x\ny"\nexport B=secret\n\nsecret\n1C=secret\nD=1\n',
  );
  assert.deepEqual(variables, { A: 'x\ny', D: '1' });
  assert.deepEqual(ignored, ['line 3: export B', 'line 5: it has no =', 'line 6: 1C']);
});

const name = 'jobd.service';

test('a unit and its changes are read in their order', () => {
  const unit = `[Unit]
Environment=A=unit
[Service]
ExecStart=/usr/bin/jobd serve
EnvironmentFile=-/etc/jobd/jobd.env
Environment=A=1 "B=two words" 'C=3'
StateDirectory=jobd
`;
  const read = parseUnit([unit], name);
  assert.deepEqual(read, {
    variables: { A: '1', B: 'two words', C: '3' },
    environmentFiles: ['/etc/jobd/jobd.env'],
    command: ['/usr/bin/jobd', 'serve'],
    stateDirectory: '/var/lib/jobd',
  });
  const change = `[Service]
Environment=A=2
ExecStart=
ExecStart=/usr/bin/jobd serve \\
  --data "/srv/my data"
EnvironmentFile=/etc/jobd/more.env
`;
  assert.deepEqual(parseUnit([unit, change], name), {
    ...read,
    variables: { ...read.variables, A: '2' },
    environmentFiles: ['/etc/jobd/jobd.env', '/etc/jobd/more.env'],
    command: ['/usr/bin/jobd', 'serve', '--data', '/srv/my data'],
  });
  assert.deepEqual(parseUnit([unit, '[Service]\nEnvironment=\n'], name).variables, {});
  assert.equal(parseUnit(['[Unit]\nStateDirectory=x\n'], name).stateDirectory, null);
});

/** The variables of a unit with a key that is a credential. */
const withKey = (load: string) =>
  parseUnit([`[Service]\n${load}\nEnvironment=JOBD_SECRET_KEY_FILE=%d/master-key A=%S/x%%\n`], name)
    .variables;

test('a credential is the file that it is loaded from', () => {
  assert.deepEqual(withKey('LoadCredential=master-key:/etc/jobd/master-key'), {
    JOBD_SECRET_KEY_FILE: '/etc/jobd/master-key',
    A: '/var/lib/x%',
  });
  assert.deepEqual(withKey(''), {
    JOBD_SECRET_KEY_FILE: '/run/credentials/jobd.service/master-key',
    A: '/var/lib/x%',
  });
});
