/**
 * node packaging/cut.mjs: builds the files of a release from a clean commit and prints the commands that publish it. It uses
 * no network, makes no tag and pushes nothing. docs/releasing.md has the steps before and after.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** What prevents a release, a sentence each. `status`: of `git status --porcelain`. `today`: a date like 2026-11-23. */
export function releaseProblems({ version, lockVersion, changelog, status, tags, today }) {
  const heads = [...changelog.matchAll(/^## +(.+?) *$/gm)].map(([, head]) => head);
  const own = heads.find((head) => head.startsWith(`[${version}]`));
  const date = / - (\d{4}-\d{2}-\d{2})$/.exec(own ?? '')?.[1];
  const unreleased = /^## +\[?Unreleased\]?([^]*?)(?=^## |$(?![^]))/m.exec(changelog)?.[1] ?? '';
  return [
    status !== '' && `the working tree is not clean: commit or remove\n${status}`,
    !/^\d+\.\d+\.\d+$/.test(version) && `the version must be like 1.2.3, got ${version}`,
    lockVersion !== version &&
      `package-lock.json has version ${lockVersion}, package.json ${version}: run npm install`,
    tags.includes(`v${version}`) && `the tag v${version} exists: raise the version`,
    own === undefined && `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD"`,
    own !== undefined && date === undefined && `the section "${own}" of CHANGELOG.md has no date`,
    date !== undefined && date > today && `the date ${date} in CHANGELOG.md is in the future`,
    unreleased.trim() !== '' &&
      `CHANGELOG.md has entries under Unreleased: move them to ${version}`,
  ].filter((problem) => problem !== false);
}

/** The output of a command in the project. Throws if it fails. */
function run(file, ...args) {
  return execFileSync(file, args, { cwd: root, encoding: 'utf8' }).trim();
}

function main() {
  const json = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const { version } = json('package.json');
  const problems = releaseProblems({
    version,
    lockVersion: json('package-lock.json').version,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    status: run('git', 'status', '--porcelain'),
    tags: run('git', 'tag', '--list').split('\n'),
    today: new Date().toISOString().slice(0, 10),
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));

  execFileSync(process.execPath, [join(root, 'build.mjs'), '--release', '--all'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, npm_config_offline: 'true' },
  });
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: dist, stdio: 'inherit' });
  const built = run(join(dist, 'jobd'), '--version');
  if (built !== version) throw new Error(`dist/jobd says that it is ${built}, not ${version}`);
  if (run('git', 'status', '--porcelain') !== '') throw new Error('the build changed the tree');

  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8');
  const files = sums
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  process.stdout.write(
    `${sums}\njobd ${version} of commit ${run('git', 'rev-parse', 'HEAD')} is in dist/. To publish it:\n\n` +
      `  git tag --annotate v${version} --message 'jobd ${version}'\n` +
      `  git push origin HEAD:main v${version}\n\n` +
      `then upload from dist/: ${[...files, 'SHA256SUMS'].join(' ')}\n`,
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`packaging/cut.mjs: ${error.message}\n`);
    process.exitCode = 1;
  }
}
