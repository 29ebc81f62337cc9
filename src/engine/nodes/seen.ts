/**
 * What a node sees of all: whether they renew their leases. It counts their renewals and goes by its own monotonic clock, so
 * that a clock that is set, even that of the database, neither makes one silent that lives nor keeps one that died.
 */

import { leaseMs, type NodeState } from '../../domain/nodes.ts';
import type { OpenNode } from '../../store/nodes/nodes.ts';

/** A node that has not ended. */
export interface SeenNode extends OpenNode, NodeState {
  /** When its last renewal was first seen, by the monotonic clock. */
  atMs: number;
  /** Whether it has seen this process among the nodes: it is younger, or renewed its lease since. */
  knowsThis: boolean;
}

/** The nodes that have not ended, the oldest first, as they were seen last. */
export class SeenNodes {
  #nodes: readonly Omit<SeenNode, 'isLive'>[] = [];

  /** This process has a new id, which nobody knows yet. */
  forget(): void {
    this.#nodes = [];
  }

  /** Takes an answer of the database that came at this time of the monotonic clock. */
  see(nodes: readonly OpenNode[], atMs: number): void {
    const isFirst = this.#nodes.length === 0;
    const known = new Map(this.#nodes.map((node) => [node.id, node]));
    this.#nodes = nodes.map((node) => {
      const before = known.get(node.id);
      const isSame = before?.renewals === node.renewals;
      const knowsThis = before === undefined ? !isFirst : before.knowsThis || !isSame;
      return { ...node, atMs: isSame ? before.atMs : atMs, knowsThis };
    });
  }

  /** All of them at this time of the monotonic clock. */
  at(nowMs: number): SeenNode[] {
    return this.#nodes.map((node) => ({ ...node, isLive: nowMs < node.atMs + leaseMs }));
  }
}
