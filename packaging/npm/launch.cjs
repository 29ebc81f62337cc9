#!/usr/bin/env node
// Starts the executable of the platform package that npm installed for this machine. Any Node can run this file. Where there
// is none, commands that talk to a server run in this process.
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
const [major] = process.versions.node.split('.');
if (file !== null) launch(file);
else if (Number(major) >= 22) module.exports = require('./client.cjs');
else stop(`needs Node 22 or newer on this machine, this is ${process.version}`);
