/**
 * node sea.mjs LOADER OPTIONS: calls the function of @yao-pkg/pkg that makes a single executable. It runs in a
 * process of its own because that function changes the working directory and prints its progress.
 */

import { createRequire } from 'node:module';

// Not part of pkg's documented interface: test/e2e/packages/executable.test.ts checks what it makes, the version is pinned.
const { default: sea } = createRequire(import.meta.url)('@yao-pkg/pkg/lib-es5/sea.js');

const [loader, options] = process.argv.slice(2);
await sea(loader, JSON.parse(options));
