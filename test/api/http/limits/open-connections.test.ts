import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenConnections } from '../../../../src/api/http/limits/open-connections.ts';
import type {
  OpenConnection,
  OpenConnections,
} from '../../../../src/api/http/limits/open-connections.ts';
import { each } from '../../../support/each.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Tested = Mutable<OpenConnection> & { isClosed: boolean };

const most = 10;

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

test('an address with many connections loses its own, and others are admitted', () => {
  const open = createOpenConnections<Tested>(most);
  const others = connectAll(open, 2, { addressGroup: 'b' });
  const held = connectAll(open, 8, { addressGroup: 'a' });
  for (let number = 0; number < 5; number += 1) {
    assert.ok(connect(open, { addressGroup: `c ${number}` }).isAdmitted);
  }
  assert.equal(numberClosed(others), 0);
  assert.deepEqual(each(held, 'isClosed'), [true, true, true, true, true, false, false, false]);
  assert.equal(open.all.size, 10);
  assert.equal(open.closed, 5);
});

test('the larger group loses a connection, trusted or not; an unknown client of any address is spared', () => {
  const open = createOpenConnections<Tested>(most);
  const [stranger] = connectAll(open, 1, { addressGroup: 'b', activeAt: 0 });
  const trusted = connectAll(open, 20, { isTrusted: true, activeAt: 1 });
  const [same] = connectAll(open, 1, { activeAt: 2 });
  assert.equal(numberClosed(trusted), 12);
  assert.equal(numberClosed([stranger!, same!]), 0);
});

test('unknown clients that had time to show a key weigh more than trusted connections', () => {
  const rows: [now: number, ofTrusted: number, ofStrangers: number][] = [
    [1_999, 1, 0],
    [2_000, 0, 1],
  ];
  for (const [now, ofTrusted, ofStrangers] of rows) {
    const open = createOpenConnections<Tested>(most);
    const trusted = connectAll(open, 6, { isTrusted: true, addressGroup: 'b' });
    const strangers = connectAll(open, 4, {});
    connect(open, { addressGroup: 'c', activeAt: now });
    assert.deepEqual([numberClosed(trusted), numberClosed(strangers)], [ofTrusted, ofStrangers]);
  }
});

test('a thousand addresses with one trusted connection each do not lock out unknown clients', () => {
  const open = createOpenConnections<Tested>(most);
  for (let number = 0; number < 500; number += 1) {
    connect(open, { addressGroup: `b ${number}`, isTrusted: true, activeAt: number });
  }
  const { connection } = connect(open, { activeAt: 500 });
  connect(open, { addressGroup: 'c', isTrusted: true, activeAt: 501 });
  assert.equal(connection.isClosed, false);
});

test('busy trusted connections are closed last, and never because of their own address', () => {
  const open = createOpenConnections<Tested>(most);
  const [idle, busy] = connectAll(open, 2, { isTrusted: true, addressGroup: 'b' });
  busy!.isBusy = true;
  const strangers = connectAll(open, 8, { isBusy: true });
  const trusted = connectAll(open, 9, { isTrusted: true, isBusy: true });
  assert.equal(numberClosed([idle!, ...strangers]), 9);
  assert.equal(connect(open).isAdmitted, false, 'its own address keeps all others busy');
  assert.equal(numberClosed([busy!, ...trusted]), 0);
  assert.ok(connect(open, { addressGroup: 'c' }).isAdmitted);
  assert.deepEqual([trusted[0]!.isClosed, busy!.isClosed], [true, false]);
  trusted[5]!.isBusy = false;
  assert.ok(connect(open, { addressGroup: 'c', activeAt: 1 }).isAdmitted);
});

test('the least recently active connection is closed first, trusted or not', () => {
  for (const isTrusted of [false, true]) {
    const open = createOpenConnections<Tested>(most);
    const [first, second] = connectAll(open, 10, { isTrusted });
    first!.activeAt = 1;
    open.update(first!);
    connect(open);
    assert.deepEqual([first!.isClosed, second!.isClosed], [false, true]);
  }
});

test('an address with many busy connections does not lock out another one', () => {
  const open = createOpenConnections<Tested>(20);
  const { connection } = connect(open, { addressGroup: 'b' });
  const busy = connectAll(open, 30, { isTrusted: true, isBusy: true });
  const other = connect(open, { addressGroup: 'c' });
  assert.ok(other.isAdmitted && !connection.isClosed);
  assert.equal(numberClosed(busy), 1);
});
