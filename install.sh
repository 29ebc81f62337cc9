#!/bin/sh
# Installs jobd on Linux, upgrades it and takes it away again: sh install.sh --help
set -eu

usage() {
  cat <<'END'
Usage: install.sh [options]

Downloads jobd from the directory that JOBD_DOWNLOAD_URL names, checks its SHA-256 sum, and installs it.
As root: into /usr/local/bin, with a user and a systemd service, both called jobd.
As anybody else: into ~/.local/bin, without a service.
Run again it upgrades: the binary of before is kept as jobd.previous, and a service that runs is restarted.

Options:
  --from FILE     take this file, jobd-linux-ARCH or jobd-linux-ARCH.gz, instead; SHA256SUMS lies beside it
  --prefix DIR    install into DIR/bin
  --user          install for this user alone, as for anybody who is not root
  --no-service    make no user and no service
  --uninstall     take away binary and service; data, settings and the user stay
  --help          this text

JOBD_DOWNLOAD_URL is an https URL, or an http one of this machine, such as
https://downloads.example.com/jobd/0.1.0. It holds SHA256SUMS and jobd-linux-ARCH.gz.
END
}

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

main() {
  parse_options "$@"
  umask 022
  if [ "$uninstalling" = yes ]; then
    uninstall
    return
  fi
  check_system
  # shellcheck disable=SC2154 # set in parse_options
  mkdir -p "$bin" || fail "$bin cannot be made; --prefix names another place"
  work=$(mktemp -d "$bin/.jobd-install.XXXXXX") || fail "$bin cannot be written; --prefix names another place"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  if [ -n "$from" ]; then take_file; else download; fi
  check_binary
  put_binary
  if [ "$service" = yes ]; then
    make_user
    make_settings
    make_service
  fi
  next_steps
}

parse_options() {
  from='' prefix='' uninstalling=no wanted_service=yes
  if [ "$(id -u)" = 0 ]; then for_user=no; else for_user=yes; fi
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --prefix)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value"; fi
        if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
        shift
        ;;
      --user) for_user=yes ;;
      --no-service) wanted_service=no ;;
      --uninstall) uninstalling=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) fail "unknown option $1, see --help" ;;
    esac
    shift
  done
  if [ "$for_user" = yes ]; then
    [ -n "$prefix" ] || prefix=${HOME:?}/.local
    wanted_service=no
  fi
  bin=${prefix:-/usr/local}/bin
  case $bin in
    /*) ;;
    *) bin=$PWD/$bin ;;
  esac
  case $bin in
    *[!A-Za-z0-9/._+-]*) fail "the path $bin has characters that a service file cannot hold as they are" ;;
  esac
  service=$wanted_service
  unit=/etc/systemd/system/jobd.service
  settings=/etc/jobd/jobd.env
  data=/var/lib/jobd
}

# What the binary needs, before anything is downloaded.
check_system() {
  [ "$(uname -s)" = Linux ] || fail "jobd runs on Linux, this is $(uname -s)"
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no jobd for $(uname -m), only for x86_64 and aarch64" ;;
  esac
  name=jobd-linux-$arch
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
  [ -n "$glibc" ] || fail 'jobd needs glibc 2.34 or newer; Alpine and other systems with musl have none'
  minor=${glibc#2.}
  case $glibc in
    2.*) [ "${minor%%.*}" -ge 34 ] || fail "jobd needs glibc 2.34 or newer, this system has $glibc" ;;
  esac
}

take_file() {
  [ -f "$from" ] || fail "there is no file $from"
  sums=$(dirname "$from")/SHA256SUMS
  [ -f "$sums" ] || fail "there is no $sums to check $from with"
  cp "$sums" "$work/SHA256SUMS"
  case $(basename "$from") in
    "$name") cp "$from" "$work/$name" ;;
    "$name.gz")
      cp "$from" "$work/$name.gz"
      unpack
      ;;
    *) fail "$from is not called $name or $name.gz, which this machine needs" ;;
  esac
}

download() {
  url=${JOBD_DOWNLOAD_URL:-}
  [ -n "$url" ] || fail 'set JOBD_DOWNLOAD_URL to where jobd is to be had, or give --from FILE'
  url=${url%/}
  case $url in
    https://*) protocols='=https' ;;
    # What stands before @ is no host.
    http://*@*) fail "JOBD_DOWNLOAD_URL must be an https URL, got $url" ;;
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) protocols='=http,https' ;;
    *) fail "JOBD_DOWNLOAD_URL must be an https URL, got $url" ;;
  esac
  say "downloading $url/$name.gz"
  fetch SHA256SUMS
  fetch "$name.gz"
  unpack
}

fetch() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --proto "$protocols" --proto-redir "$protocols" --retry 2 \
      --connect-timeout 20 --output "$work/$1" "$url/$1" ||
      fail "$url/$1 cannot be downloaded, nothing was changed"
  elif command -v wget >/dev/null; then
    wget -q -T 20 -O "$work/$1" "$url/$1" ||
      fail "$url/$1 cannot be downloaded, nothing was changed"
  else
    fail 'needs curl or wget to download, or --from FILE'
  fi
}

# What is compressed is checked before it is looked into.
unpack() {
  check_sum "$name.gz"
  gzip -dc "$work/$name.gz" >"$work/$name" || fail "$name.gz cannot be unpacked, nothing was changed"
}

check_sum() {
  line=$(grep -E "^[0-9a-f]{64}  $1\$" "$work/SHA256SUMS") || fail "SHA256SUMS does not list $1"
  say "$line" | (cd "$work" && sha256sum -c - >/dev/null 2>&1) ||
    fail "$1 is not what SHA256SUMS says: damaged on the way, or not the real one; nothing was changed"
}

# It runs here, before it takes the place of one that does.
check_binary() {
  check_sum "$name"
  chmod 755 "$work/$name"
  version=$("$work/$name" --version 2>"$work/said") ||
    fail "$name does not run here: $(cat "$work/said"); nothing was changed"
}

put_binary() {
  changed=yes had_before=no
  if [ -f "$bin/jobd" ]; then
    had_before=yes
    if cmp -s "$work/$name" "$bin/jobd"; then
      changed=no
      say "jobd $version is in $bin already"
      return
    fi
    cp -p "$bin/jobd" "$work/previous"
    mv "$work/previous" "$bin/jobd.previous"
  fi
  mv "$work/$name" "$bin/jobd"
  say "jobd $version is in $bin"
  if [ "$had_before" = yes ]; then say "the one of before is $bin/jobd.previous"; fi
}

make_user() {
  if ! id jobd >/dev/null 2>&1; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin jobd
    say 'made the user jobd'
  fi
  if [ ! -d "$data" ]; then
    mkdir -p "$data"
    chown jobd:jobd "$data"
    chmod 700 "$data"
  fi
}

# Never written over.
make_settings() {
  if [ -f "$settings" ]; then return; fi
  mkdir -p "$(dirname "$settings")"
  (umask 077 && settings_text >"$work/settings")
  chown root:jobd "$work/settings"
  chmod 640 "$work/settings"
  cp -p "$work/settings" "$settings.new"
  mv "$settings.new" "$settings"
}

settings_text() {
  cat <<'END'
# Settings of the service jobd; after a change: systemctl restart jobd
# jobd serve --help lists them all.
#JOBD_HOST=127.0.0.1
#JOBD_PORT=8080
#JOBD_BASE_URL=https://jobs.example.com
#JOBD_ALLOW_TARGETS=
#JOBD_SMTP_URL=
#JOBD_MAIL_ALLOW=
#JOBD_HEARTBEAT_URL=
END
}

make_service() {
  had_unit=no
  if [ -f "$unit" ]; then had_unit=yes; fi
  unit_text >"$work/unit"
  if ! cmp -s "$work/unit" "$unit"; then
    mkdir -p "$(dirname "$unit")"
    cp "$work/unit" "$unit.new"
    mv "$unit.new" "$unit"
    say "wrote $unit"
    changed=yes
  fi
  # As sd_booted(3) looks.
  if [ ! -d /run/systemd/system ]; then
    say 'systemd does not run here: the service is not started'
    return
  fi
  systemctl daemon-reload
  if [ "$had_unit" = no ]; then
    systemctl enable --quiet jobd
    systemctl start jobd || fail 'the service does not start: journalctl -u jobd'
    is_up || fail 'the service is not ready within 60 s: journalctl -u jobd'
    say 'the service jobd runs'
  elif [ "$changed" = yes ] && systemctl is-active --quiet jobd; then
    restart
  fi
}

restart() {
  if systemctl restart jobd && is_up; then
    say 'restarted the service jobd'
    return
  fi
  if [ "$had_before" = no ] || [ ! -f "$bin/jobd.previous" ]; then
    fail 'the service does not come back: journalctl -u jobd'
  fi
  mv "$bin/jobd" "$bin/jobd.failed"
  cp -p "$bin/jobd.previous" "$bin/jobd"
  systemctl restart jobd || true
  if is_up; then
    fail "jobd $version did not come up; the one of before runs again, the new one is $bin/jobd.failed"
  fi
  fail "jobd $version did not come up, and the one of before, which is back in $bin, does not either: journalctl -u jobd"
}

# Up to 60 s, as long as a migration may take.
is_up() {
  host=$(setting JOBD_HOST)
  port=$(setting JOBD_PORT)
  case $host in
    '' | 0.0.0.0 | ::) host=127.0.0.1 ;;
    *:*) host="[$host]" ;;
  esac
  tries=0
  while [ "$tries" -lt 60 ]; do
    if systemctl is-failed --quiet jobd; then return 1; fi
    if systemctl is-active --quiet jobd && is_ready "http://$host:${port:-8080}/readyz"; then return 0; fi
    tries=$((tries + 1))
    sleep 1
  done
  return 1
}

setting() {
  sed -n "s/^$1=[\"']\{0,1\}\([^\"']*\)[\"']\{0,1\}\$/\1/p" "$settings" | tail -n 1
}

is_ready() {
  if command -v curl >/dev/null; then
    curl --fail --silent --max-time 5 --noproxy '*' --output /dev/null "$1"
  elif command -v wget >/dev/null; then
    http_proxy='' HTTP_PROXY='' wget -q -T 5 -O /dev/null "$1"
  fi
}

unit_text() {
  cat <<END
[Unit]
Description=jobd: calls URLs on schedule and records every run
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=$bin/jobd serve
EnvironmentFile=-$settings
User=jobd
Group=jobd
StateDirectory=jobd
StateDirectoryMode=0700
UMask=0077
LimitNOFILE=65536
# A dump of its memory would hold secrets in plain text.
LimitCORE=0
Restart=on-failure
RestartSec=2
# Calls in flight have 30 s to end.
TimeoutStopSec=45

# What it may do: write its data, and talk to the network.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProcSubset=pid
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
# Netlink is what looking up names asks for the addresses of this machine.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Whatever somebody makes it do, the rest of the machine goes on: beyond this share of memory jobd alone is ended, and
# started again. 100,000 calls at once take some 250 MB, and it has a few dozen threads.
MemoryMax=75%
TasksMax=256
# Metadata services of clouds give credentials to whoever asks from this machine. jobd calls no such address; this
# holds also if jobd itself is broken into. Name servers of this machine are left out, as some clouds have them at the
# same address. If jobd moves to another cloud, run install.sh again.
$(deny_metadata)
# MemoryDenyWriteExecute= must stay off: V8 compiles JavaScript into memory that it then runs.

[Install]
WantedBy=multi-user.target
END
}

# AWS, Google, Azure and most others; AWS and Google by IPv6; Azure; Alibaba. A filter goes by addresses and knows no
# ports: where one of them answers for names, too, as on Google's and Oracle's clouds, nothing could be looked up.
deny_metadata() {
  for address in 169.254.169.254 fd00:ec2::254 fd20:ce::254 168.63.129.16 100.100.100.200; do
    if ! grep -qE "^[[:blank:]]*nameserver[[:blank:]]+$address([[:blank:]%]|\$)" /etc/resolv.conf 2>/dev/null; then
      say "IPAddressDeny=$address"
    fi
  done
}

next_steps() {
  if [ "$service" = yes ]; then
    say "settings are in $settings, data is in $data; next, make a key:"
    say "  runuser -u jobd -- env JOBD_DATA=$data $bin/jobd key create --name first"
    return
  fi
  case :${PATH:-}: in
    *:"$bin":*) say 'next: jobd serve' ;;
    *) say "next: $bin/jobd serve; $bin is not in PATH" ;;
  esac
}

uninstall() {
  if [ "$service" = yes ] && [ -f "$unit" ] && ! grep -qF "ExecStart=$bin/jobd " "$unit"; then
    say "left the service, which runs another jobd: $unit"
    service=no
  fi
  if [ "$service" = yes ] && [ -f "$unit" ]; then
    if [ -d /run/systemd/system ]; then systemctl disable --quiet --now jobd || true; fi
    rm -f "$unit"
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    say "removed $unit"
  fi
  rm -f "$bin/jobd" "$bin/jobd.previous" "$bin/jobd.failed"
  say "removed jobd from $bin"
  if [ "$service" = yes ]; then
    say "$data, $(dirname "$settings") and the user jobd are left; to remove them too:"
    say "  rm -r $data $(dirname "$settings") && userdel jobd"
  else
    say 'data is left where it is, by default in ~/.local/share/jobd'
  fi
}

# On the last line, and in braces: of a script that was cut on the way nothing is run.
{ main "$@"; }
