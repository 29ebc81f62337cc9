/** What install.sh needs of a machine with systemd, and the files that it installs from. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ThrowAwayRoot } from './throw-away-root.ts';

/** The name of the file of a release for this machine. */
export const releaseName = `jobd-linux-${process.arch}`;

/** The SHA-256 of these bytes, in hexadecimal. */
export const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The files of a release, as they are downloaded. */
export function releaseOf(program: string | Uint8Array): Record<string, string | Uint8Array> {
  const packed = gzipSync(program);
  const sums = `${sha256(program)}  ${releaseName}\n${sha256(packed)}  ${releaseName}.gz\n`;
  return { [`${releaseName}.gz`]: packed, SHA256SUMS: sums };
}

/** Puts the program beside its checksum, for `install.sh --from`. Returns its path in the root. */
export function offerFile(root: ThrowAwayRoot, program: string | Uint8Array): string {
  root.write(`/offer/${releaseName}`, program, 0o755);
  root.write('/offer/SHA256SUMS', `${sha256(program)}  ${releaseName}\n`);
  return `/offer/${releaseName}`;
}

/** Makes the root look like a machine whose systemd runs. */
export function addSystemd(root: ThrowAwayRoot): void {
  root.write('/run/systemd/system/.keep', '');
  root.write('/usr/local/sbin/systemctl', systemctl, 0o755);
  root.write('/usr/local/sbin/systemd-notify', systemdNotify, 0o755);
}

/** A stand-in for systemctl, with the behaviour that the script relies on. */
const systemctl = `#!/bin/sh
pid=$(cat /run/jobd.pid 2>/dev/null)
unit=/etc/systemd/system/jobd.service
[ -f $unit ] || unit=/usr/lib/systemd/system/jobd.service
while [ "\${1#-}" != "$1" ]; do shift; done
for word in "$@"; do [ "$word" = --now ] && now=yes; done
stop() { [ -z "$pid" ] || { kill "$pid"; while kill -0 "$pid"; do sleep 0.1; done; }; } 2>/dev/null
# A service of Type=notify has started when it says so, and failed when it ends before.
start() {
  rm -f /tmp/jobd.notify.ready
  exec_start=$(sed -n 's/^ExecStart=//p' $unit)
  set -a
  . /etc/jobd/jobd.env
  NOTIFY_SOCKET=/tmp/jobd.notify STATE_DIRECTORY=/var/lib/jobd setsid setpriv --reuid=jobd --regid=jobd --clear-groups \\
    $exec_start >/run/jobd.log 2>&1 </dev/null &
  pid=$!
  echo $pid >/run/jobd.pid
  until [ -e /tmp/jobd.notify.ready ]; do
    kill -0 $pid 2>/dev/null || return 1
    sleep 0.1
  done
}
case $1 in
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  disable) [ -z "$now" ] || stop ;;
  is-enabled) echo enabled ;;
  is-active) kill -0 "$pid" 2>/dev/null ;;
  show) if kill -0 "$pid" 2>/dev/null; then echo active; else echo inactive; fi ;;
esac
`;

/** A stand-in for systemd-notify, which nobody but this one listens to. */
const systemdNotify = `#!/bin/sh
[ "$1" != --ready ] || touch "$NOTIFY_SOCKET.ready"
`;
