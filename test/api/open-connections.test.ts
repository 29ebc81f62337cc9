/** Which connections are closed when there are too many. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenConnections } from '../../src/api/edge/open-connections.ts';
import type { OpenConnection, OpenConnections } from '../../src/api/edge/open-connections.ts';

type Tested = OpenConnection & { isClosed: boolean };

const bounds = { most: 10, mostStrangers: 3, graceMs: 5_000 };

function connect(
  open: OpenConnections<Tested>,
  given: Partial<OpenConnection> = {},
): { connection: Tested; isAdmitted: boolean } {
  const connection: Tested = {
    addressGroup: 'a',
    isTrusted: false,
    isBusy: false,
    activeAt: 0,
    isClosed: false,
    ...given,
    close: () => void (connection.isClosed = true),
  };
  return { connection, isAdmitted: open.admit(connection) };
}

function connectAll(open: OpenConnections<Tested>, count: number, given: Partial<OpenConnection>) {
  return Array.from({ length: count }, () => connect(open, given).connection);
}

function numberClosed(connections: readonly Tested[]): number {
  return connections.filter(({ isClosed }) => isClosed).length;
}

test('an address that holds many connections loses its own, and others are admitted', () => {
  const open = createOpenConnections<Tested>(bounds);
  const others = connectAll(open, 2, { addressGroup: 'b' });
  const held = connectAll(open, 8, { addressGroup: 'a' });
  for (let number = 0; number < 5; number += 1) {
    assert.ok(connect(open, { addressGroup: `c ${number}` }).isAdmitted);
  }
  assert.equal(numberClosed(others), 0);
  assert.deepEqual(
    held.map(({ isClosed }) => isClosed),
    [true, true, true, true, true, false, false, false],
  );
  assert.equal(open.all.size, 10);
  assert.equal(open.closed, 5);
});

test('an address keeps only so many idle strangers, but a burst of them is left alone', () => {
  const open = createOpenConnections<Tested>(bounds);
  const held = connectAll(open, 6, { activeAt: 0 });
  connect(open, { activeAt: 4_999 });
  assert.equal(numberClosed(held), 0);
  connect(open, { activeAt: 5_000 });
  assert.equal(numberClosed(held), 5, 'all but as many as may stay, beside the new one');
  const trusted = connectAll(open, 5, { isTrusted: true, activeAt: 0 });
  connect(open, { activeAt: 20_000 });
  assert.equal(numberClosed(trusted), 0);
});

test('strangers are closed before trusted connections, and one that is busy and trusted never is', () => {
  const open = createOpenConnections<Tested>(bounds);
  const [idle, busy] = connectAll(open, 2, { isTrusted: true, addressGroup: 'b' });
  busy!.isBusy = true;
  open.update(busy!);
  const strangers = connectAll(open, 8, { isBusy: true });
  const trusted = connectAll(open, 9, { isTrusted: true, isBusy: true });
  assert.equal(numberClosed(strangers), 8);
  assert.ok(idle!.isClosed);
  assert.equal(connect(open).isAdmitted, false, 'all are busy');
  assert.equal(numberClosed([busy!, ...trusted]), 0);
  open.remove(busy!);
  assert.ok(connect(open).isAdmitted);
});

test('the connection that was active longest ago is the first, trusted or not', () => {
  for (const isTrusted of [false, true]) {
    const open = createOpenConnections<Tested>(bounds);
    const [first, second] = connectAll(open, 10, { isTrusted });
    first!.activeAt = 1;
    open.update(first!);
    connect(open);
    assert.deepEqual([first!.isClosed, second!.isClosed], [false, true]);
  }
});
