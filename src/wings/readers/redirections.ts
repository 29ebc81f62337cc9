/** What the redirections of a command mean for the job that makes its call (POSIX.1-2024 Shell Command Language 2.7). */

import { reasons } from './remark.ts';
import { isLog } from './written-call.ts';

/** What becomes of a redirection, and why. */
export interface Judged {
  kind: 'ignored' | 'adapted' | 'unhonoured';
  reason: string;
}

/** Judges a redirection by its operator, such as `2>`, and the file or descriptor after it. */
export function judgeRedirection(operator: string, target: string): Judged {
  const isOutput = operator.includes('>') && operator !== '<>';
  const isCopy = operator === '>&' && /^(?:\d+|-)$/.test(target);
  if (isCopy || (target === '/dev/null' && (isOutput || operator === '<'))) {
    return { kind: 'ignored', reason: reasons.noEffect };
  }
  if (!isOutput) return { kind: 'unhonoured', reason: 'a call has no standard input' };
  return isLog(target)
    ? { kind: 'adapted', reason: reasons.ownRecord }
    : { kind: 'unhonoured', reason: reasons.noFiles };
}
