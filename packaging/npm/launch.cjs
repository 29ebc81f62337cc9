#!/usr/bin/env node
// Starts the executable of the platform package that npm installed for this machine. Any Node can run this file.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

// Node would open its debugger, which runs the code of every user of the machine.
process.on('SIGUSR1', () => {});

const name = `@jobd/${process.platform}-${process.arch}`;

function findExecutable() {
  try {
    return require.resolve(`${name}/jobd`);
  } catch {
    return null;
  }
}

function launch(file) {
  // Before the child begins: a signal that comes then would end this process alone.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // Ctrl-C reaches the child by itself.
  process.on('SIGINT', () => {});
  const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (error) => stop(`cannot start ${file}: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}

function stop(sentence) {
  process.stderr.write(`jobd: ${sentence}\n`);
  process.exitCode = 1;
}

const file = findExecutable();
if (file !== null) launch(file);
else if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  stop(`runs on Linux with x64 or arm64, this is ${process.platform}-${process.arch}`);
} else {
  stop(
    `the package ${name} is missing: install again with optional dependencies (without --omit=optional). jobd needs glibc, not musl.`,
  );
}
