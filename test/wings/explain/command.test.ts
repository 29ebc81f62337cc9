import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobExplanation } from '../../../src/wings/explain/contract.ts';
import { printExplanation } from '../../../src/wings/explain/command.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';

const explanation: JobExplanation = {
  at: '2026-11-24T01:30:00.000Z',
  dueAt: '2026-11-24T01:30:00.000Z',
  runId: null,
  outcome: 'missed',
  answer: 'It did not run at 02:30: it was missed.',
  todo: 'Run it now.',
  command: "jobd jobs run 'a job'",
  facts: [
    { kind: 'run', sentence: 'A name with a\nline end and \u001b[31mred.', isKnown: true },
    { kind: 'cause', sentence: 'Why it began late is not recorded.', isKnown: false },
  ],
};

function printed(screen: Pick<Output, 'isTerminal' | 'width'>): string[] {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  printExplanation({ ...screen, hasColour: false, data: add, styled: add, say: add }, explanation);
  return lines;
}

test('in a pipe each fact is one line after the answer, and what is not known is marked', () => {
  const [answer, todo, command, known, unknown, ...more] = printed({
    isTerminal: false,
    width: 80,
  });
  assert.deepEqual([answer, todo], [explanation.answer, explanation.todo]);
  assert.equal(command, explanation.command);
  assert.match(known ?? '', /^- A name with a line end and .*red\.$/);
  // oxlint-disable-next-line no-control-regex -- this looks for control characters
  assert.doesNotMatch(known ?? '', /[\u0000-\u001f]/);
  assert.equal(unknown, '? Why it began late is not recorded.');
  assert.deepEqual(more, []);
});

test('on a narrow terminal lines wrap at words, behind the mark', () => {
  const lines = printed({ isTerminal: true, width: 24 });
  assert.ok(
    lines.every((line) => line.length <= 24),
    lines.join('\n'),
  );
  assert.deepEqual(lines.slice(-2), ['? Why it began late is', '  not recorded.']);
});
