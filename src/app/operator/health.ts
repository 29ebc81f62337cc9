/** What a jobd that serves knows of its own health: one list of findings, for /readyz, metrics, the log and the owner's page. */

import type { Clock } from '../../domain/clock.ts';
import { messageOf } from '../../domain/errors.ts';
import { found, type Finding } from '../../domain/findings.ts';
import { probeWrite } from '../../store/database/inspect.ts';
import type { Store } from '../../store/database/store.ts';
import { checks } from './checks.ts';

/** How long an answer is reused, so that frequent questions cost nothing. */
const reusedForMs = 1_000;
const checkEveryMs = 10_000;

export interface HealthParts {
  store: Store;
  clock: Clock;
  /** Null if the database is on a server. */
  dataDir: string | null;
  /** What the parts of this process find now. */
  readonly own: () => readonly Finding[];
  /** Hears what the checks find that they did not find before, and what they find no more. */
  readonly onChange: (begun: readonly Finding[], over: readonly Finding[]) => void;
}

export interface Health {
  /** All that is known, without asking the database. */
  readonly known: () => Finding[];
  /** Why jobd cannot do its work now; empty if it can. */
  readonly problems: () => Finding[];
  /**
   * All that is known, and whether the database takes a write. `since` is when a problem was first found, in epoch milliseconds;
   * null if there is none. Callers during a check share its answer.
   */
  readonly ask: () => Promise<{ problems: Finding[]; notes: Finding[]; since: number | null }>;
  /** Makes the checks. Returns how long to rest, in milliseconds. */
  readonly check: () => Promise<number>;
}

/** Makes it. Nothing is known of the installation before the first check. */
export function createHealth({ store, clock, dataDir, own, onChange }: HealthParts): Health {
  let checked: Finding[] = [];
  let since: number | null = null;
  let asked: { at: number; answer: ReturnType<Health['ask']>; isPending: boolean } | null = null;

  const problems = (): Finding[] => own().filter(({ result }) => result === 'fail');
  const notes = (): Finding[] => [...own().filter(({ result }) => result === 'warn'), ...checked];

  async function ask(): ReturnType<Health['ask']> {
    const reason = await probeWrite(store).then(() => null, messageOf);
    const others = problems();
    // What fails for that reason says so, and what fails.
    const isSaid = reason === null || others.some(({ facts }) => facts['reason'] === reason);
    if (!isSaid) others.unshift(found('database-unusable', { reason }));
    since = others.length === 0 ? null : (since ?? clock.now());
    return { problems: others, notes: notes(), since };
  }

  async function askOnce(): ReturnType<Health['ask']> {
    const now = clock.monotonicMs();
    if (asked === null || !(asked.isPending || now - asked.at < reusedForMs)) {
      const begun = { at: now, answer: ask(), isPending: true };
      void begun.answer.finally(() => (begun.isPending = false));
      asked = begun;
    }
    return await asked.answer;
  }

  return {
    known: () => [...problems(), ...notes()],
    problems,
    ask: askOnce,
    async check() {
      if (since !== null || problems().length > 0) await askOnce();
      const before = checked;
      const all: Finding[] = [];
      for (const check of Object.values(checks)) {
        all.push(...(await check({ db: store.db, clock, dataDir })));
      }
      checked = all.filter(({ result }) => result !== 'ok');
      onChange(without(checked, before), without(before, checked));
      return checkEveryMs;
    },
  };
}

/** Those findings whose codes others have not. */
function without(findings: readonly Finding[], others: readonly Finding[]): Finding[] {
  return findings.filter(({ code }) => !others.some((other) => other.code === code));
}
