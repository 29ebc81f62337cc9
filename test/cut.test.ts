import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

interface State {
  version: string;
  lockVersion: string;
  changelog: string;
  status: string;
  tags: string[];
  today: string;
}

/** The script has no types. */
const { releaseProblems }: { releaseProblems: (state: State) => string[] } = await import(
  join(import.meta.dirname, '..', 'packaging', 'cut.mjs')
);

const ready: State = {
  version: '0.2.0',
  lockVersion: '0.2.0',
  changelog: '# Changelog\n\n## [0.2.0] - 2026-11-23\n\n- New.\n\n## [0.1.0] - 2026-11-01\n',
  status: '',
  tags: ['v0.1.0'],
  today: '2026-11-23',
};

test('a clean commit with a dated changelog can be released', () => {
  assert.deepEqual(releaseProblems(ready), []);
  const empty = ready.changelog.replace('## [0.2.0]', '## [Unreleased]\n\n## [0.2.0]');
  assert.deepEqual(releaseProblems({ ...ready, changelog: empty }), []);
});

test('each missing condition is reported with a message', () => {
  const rows: [change: Partial<State>, problem: RegExp][] = [
    [{ status: '?? new.ts' }, /^the working tree is not clean: commit or remove\n\?\? new\.ts$/],
    [{ lockVersion: '0.1.0' }, /^package-lock\.json has version 0\.1\.0, package\.json 0\.2\.0/],
    [{ tags: ['v0.1.0', 'v0.2.0'] }, /^the tag v0\.2\.0 exists/],
    [{ changelog: '# Changelog\n\n## [0.1.0] - 2026-11-01\n' }, /has no section "## \[0\.2\.0\]/],
    [{ changelog: '## [0.2.0]\n' }, /^the section "\[0\.2\.0\]" of CHANGELOG\.md has no date$/],
    [{ today: '2026-11-22' }, /^the date 2026-11-23 in CHANGELOG\.md is in the future$/],
    [
      { changelog: `## [Unreleased]\n\n- Later.\n\n${ready.changelog}` },
      /^CHANGELOG\.md has entries under Unreleased/,
    ],
  ];
  for (const [change, problem] of rows) {
    const problems = releaseProblems({ ...ready, ...change });
    assert.equal(problems.length, 1, problems.join('; '));
    assert.match(problems[0] ?? '', problem);
  }
  const beta = { version: '0.2.0-beta', lockVersion: '0.2.0-beta' };
  assert.match(releaseProblems({ ...ready, ...beta })[0] ?? '', /must be like 1\.2\.3/);
});
