/** Our reader's verdict on an answer, in the terms of the second opinion. */

import { BadAnswer } from '../../../src/egress/failure.ts';
import { AnswerReader } from '../../../src/egress/http/answer.ts';
import type { Head } from '../../../src/egress/http/head.ts';

export interface OurVerdict {
  head: Head | null;
  body: string;
  isComplete: boolean;
  mayPersist: boolean;
  error: string | null;
}

/** Reads an answer that comes in these pieces, and then the end of the connection. */
export function readByUs(pieces: readonly Buffer[], method: string): OurVerdict {
  const found: OurVerdict = {
    head: null,
    body: '',
    isComplete: false,
    mayPersist: false,
    error: null,
  };
  const reader = new AnswerReader(method, {
    onHead: (head) => {
      found.head = head;
    },
    onData: (piece) => {
      found.body += piece.toString('latin1');
      return true;
    },
  });
  try {
    for (const piece of pieces) reader.read(piece);
    found.mayPersist = reader.mayPersist;
    found.isComplete = reader.end();
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    found.error = error.message;
  }
  return found;
}
