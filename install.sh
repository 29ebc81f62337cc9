#!/bin/sh
# Installs, upgrades or removes jobd on Linux: sh install.sh --help
set -eu

usage() {
  cat <<'END'
Usage: install.sh [options]

Downloads jobd from JOBD_DOWNLOAD_URL, checks its SHA-256 checksum, and installs it.
As root: into /usr/local/bin, with a user and a systemd service, both called jobd.
As any other user: into ~/.local/bin, without a service.
Run it again to upgrade: it keeps the previous version as jobd.previous and restarts a running service.

Options:
  --from FILE     install this file, jobd-linux-ARCH or jobd-linux-ARCH.gz; SHA256SUMS must be beside it
  --allow-older   also replace jobd by an older version
  --prefix DIR    install into DIR/bin
  --user          install for this user only, even as root
  --no-service    create no user and no service
  --uninstall     remove the program and the service; data, settings and the user stay
  --help          show this help

JOBD_DOWNLOAD_URL is the https URL (http for this machine) of a directory with SHA256SUMS and
jobd-linux-ARCH.gz, such as https://downloads.example.com/jobd/0.1.0.
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
  if [ "$service" = yes ] && [ -f "$packaged" ]; then
    fail "the package jobd is installed here: upgrade that (apt), or remove it first: apt remove jobd"
  fi
  # shellcheck disable=SC2154 # set in parse_options
  made=''
  [ -d "$bin" ] || made=$bin
  mkdir -p "$bin" || fail "cannot create $bin; use --prefix to install elsewhere"
  work=$(mktemp -d "$bin/.jobd-install.XXXXXX") || fail "cannot write to $bin; use --prefix to install elsewhere"
  trap 'rm -rf "$work"; [ -z "$made" ] || rmdir "$made" 2>/dev/null || :' EXIT
  trap 'exit 1' HUP INT TERM
  if [ -n "$from" ]; then take_file; else download; fi
  check_binary
  check_newer
  put_binary
  if [ "$service" = yes ]; then
    make_user
    make_settings
    make_service
  fi
  next_steps
}

parse_options() {
  from='' prefix='' uninstalling=no wanted_service=yes may_be_older=no
  if [ "$(id -u)" = 0 ]; then for_user=no; else for_user=yes; fi
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --prefix)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value"; fi
        if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
        shift
        ;;
      --allow-older) may_be_older=yes ;;
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
    *[!A-Za-z0-9/._+-]*) fail "the path $bin has characters that do not work in a service file" ;;
  esac
  service=$wanted_service
  unit=/etc/systemd/system/jobd.service
  settings=/etc/jobd/jobd.env
  data=/var/lib/jobd
  backups=/var/backups/jobd
  refresh='run install.sh again'
  why='journalctl -u jobd -p warning'
  packaged=/usr/lib/systemd/system/jobd.service
}

# Checks what the program needs, before anything is downloaded.
check_system() {
  [ "$(uname -s)" = Linux ] || fail "jobd needs Linux, this is $(uname -s)"
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "jobd supports x86_64 and aarch64, this is $(uname -m)" ;;
  esac
  name=jobd-linux-$arch
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
  [ -n "$glibc" ] || fail 'jobd needs glibc 2.34 or newer; Alpine and other musl systems are not supported'
  minor=${glibc#2.}
  case $glibc in
    2.*) [ "${minor%%.*}" -ge 34 ] || fail "jobd needs glibc 2.34 or newer, this system has $glibc" ;;
  esac
}

take_file() {
  [ -f "$from" ] || fail "there is no file $from"
  sums=$(dirname "$from")/SHA256SUMS
  [ -f "$sums" ] || fail "cannot check $from: there is no $sums"
  cp "$sums" "$work/SHA256SUMS"
  case $(basename "$from") in
    "$name") cp "$from" "$work/$name" ;;
    "$name.gz")
      cp "$from" "$work/$name.gz"
      unpack
      ;;
    *) fail "this machine needs a file named $name or $name.gz, got $from" ;;
  esac
}

download() {
  url=${JOBD_DOWNLOAD_URL:-}
  [ -n "$url" ] || fail 'set JOBD_DOWNLOAD_URL to the download location, or use --from FILE'
  url=${url%/}
  case $url in
    https://*) protocols='=https' ;;
    # The part before @ is not the host.
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
      fail "cannot download $url/$1; nothing was changed"
  elif command -v wget >/dev/null; then
    # Only curl keeps to https where it is sent elsewhere.
    wget -q -T 20 --max-redirect=0 -O "$work/$1" "$url/$1" ||
      fail "cannot download $url/$1 (if it is somewhere else now: install curl); nothing was changed"
  else
    fail 'install curl or wget, or use --from FILE'
  fi
}

# Checks the file before it is unpacked.
unpack() {
  check_sum "$name.gz"
  gzip -dc "$work/$name.gz" >"$work/$name" || fail "cannot unpack $name.gz; nothing was changed"
}

check_sum() {
  line=$(grep -E "^[0-9a-f]{64}  $1\$" "$work/SHA256SUMS") || fail "SHA256SUMS does not list $1"
  say "$line" | (cd "$work" && sha256sum -c - >/dev/null 2>&1) ||
    fail "$1 does not match its checksum in SHA256SUMS: it is damaged or not genuine; nothing was changed"
}

# Runs the new program once before it replaces one that works.
check_binary() {
  check_sum "$name"
  chmod 755 "$work/$name"
  version=$("$work/$name" --version 2>"$work/said") ||
    fail "$name does not run here: $(cat "$work/said"); nothing was changed"
}

# An older version may lack repairs of security, and refuses a database that a newer one has changed.
check_newer() {
  if [ "$may_be_older" = yes ] || [ ! -x "$bin/jobd" ]; then return; fi
  present=$("$bin/jobd" --version 2>/dev/null) || return 0
  if [ "$present" = "$version" ]; then return; fi
  # In their order, what comes before a release is marked by ~.
  oldest=$(printf '%s\n' "$version" "$present" | sed 's/-/~/' | sort -V | head -n 1)
  if [ "$oldest" = "$(say "$version" | sed 's/-/~/')" ]; then
    fail "jobd $version is older than jobd $present, which is in $bin; nothing was changed. To install it: --allow-older"
  fi
}

put_binary() {
  changed=yes had_before=no
  if [ -f "$bin/jobd" ]; then
    had_before=yes
    if cmp -s "$work/$name" "$bin/jobd"; then
      changed=no
      say "jobd $version is already installed in $bin"
      return
    fi
    cp -p "$bin/jobd" "$work/previous"
    mv "$work/previous" "$bin/jobd.previous"
  fi
  mv "$work/$name" "$bin/jobd"
  say "installed jobd $version in $bin"
  if [ "$had_before" = yes ]; then say "the previous version is $bin/jobd.previous"; fi
}

make_user() {
  if ! id jobd >/dev/null 2>&1; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin jobd
    say 'created the user jobd'
  fi
  if [ ! -d "$data" ]; then
    mkdir -p "$data"
    chown jobd:jobd "$data"
    chmod 700 "$data"
  fi
  # The unit may write there. It has to exist when the service starts.
  if [ ! -e "$backups" ]; then
    mkdir -p "$backups"
    chown jobd:jobd "$backups"
    chmod 700 "$backups"
  fi
}

# Never overwrites settings.
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
# Settings of the jobd service; after a change: systemctl restart jobd
# jobd help environment lists all of them.
#JOBD_HOST=127.0.0.1
#JOBD_PORT=8080
#JOBD_BASE_URL=https://jobs.example.com
#JOBD_ALLOW_TARGETS=
# PostgreSQL instead of the file in /var/lib/jobd (docs/postgres.md):
#JOBD_DATABASE_URL=postgres://jobd:PASSWORD@db.example.com/jobd?sslmode=verify-full
#JOBD_SECRET_KEY_FILE=/etc/jobd/master-key
#JOBD_SMTP_URL=
#JOBD_MAIL_ALLOW=
#JOBD_HEARTBEAT_URL=
# Backups by itself, each day, kept for 7 days (docs/backups.md):
#JOBD_BACKUP_TO=/var/backups/jobd
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
  # The test of sd_booted(3).
  if [ ! -d /run/systemd/system ]; then
    say 'systemd is not running: the service was not started'
    return
  fi
  systemctl daemon-reload
  if [ "$had_unit" = no ]; then
    systemctl enable --quiet jobd
    serves start || fail "the service did not start; see: $why"
    say 'the service jobd is running'
  elif [ "$(state)" = inactive ]; then
    say 'the service jobd is stopped, and stays so; to start it: systemctl start jobd'
  elif [ "$changed" = yes ]; then
    restart
  elif ! systemctl is-active --quiet jobd; then
    fail "the service jobd does not run; see: $why"
  fi
}

restart() {
  if serves restart; then
    say 'restarted the service jobd'
    return
  fi
  if [ "$had_before" = no ] || [ ! -f "$bin/jobd.previous" ]; then
    fail "the service did not restart; see: $why"
  fi
  mv "$bin/jobd" "$bin/jobd.failed"
  cp -p "$bin/jobd.previous" "$bin/jobd"
  if serves restart; then
    fail "jobd $version did not start; the previous version runs again, the new one is $bin/jobd.failed"
  fi
  fail "jobd $version did not start; the previous version is back in $bin and did not start either; see: $why"
}

# Starts or restarts the service, which has succeeded only when jobd serves. The time allows for calls in flight and a migration.
serves() {
  timeout 120 systemctl "$1" jobd
}

state() {
  systemctl show --property=ActiveState --value jobd
}

unit_text() {
  cat <<END
[Unit]
Description=jobd: calls your URLs on a schedule and records every run
Wants=network-online.target
After=network-online.target
# What jobd needs may come later: it is started again and again.
StartLimitIntervalSec=0

[Service]
# It has started when it serves, as systemd-notify says for it. Changing the tables of a large database takes long.
Type=notify
NotifyAccess=all
TimeoutStartSec=1h
ExecStart=$bin/jobd serve
EnvironmentFile=-$settings
User=jobd
Group=jobd
StateDirectory=jobd
StateDirectoryMode=0700
UMask=0077
LimitNOFILE=65536
# A core dump would contain secrets in plain text.
LimitCORE=0
Restart=on-failure
RestartSec=2
# Calls in flight get 30 s to end.
TimeoutStopSec=45

# Sandbox: it may write its data and its backups, and use the network, nothing else.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ReadWritePaths=-$backups
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
# Name lookups read the addresses of this machine over netlink.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Protects the rest of the machine: above this share of memory, only jobd is killed and restarted. 100,000 calls at once
# take about 250 MB, and it has a few dozen threads.
MemoryMax=75%
TasksMax=256
# Cloud metadata services give credentials to any program on this machine. jobd never calls them; this filter holds even
# if jobd itself is compromised. It leaves out name servers of this machine: some clouds use the same address for both.
# After moving to another cloud, $refresh.
$(deny_metadata)
# MemoryDenyWriteExecute= must stay off: V8 compiles JavaScript at run time.

[Install]
WantedBy=multi-user.target
END
}

# AWS, Google, Azure and most others; AWS and Google over IPv6; Azure; Alibaba; Oracle. The filter cannot tell ports apart: on
# Google's and Oracle's clouds the same address is also the name server, and blocking it would break every lookup.
deny_metadata() {
  for address in 169.254.169.254 fd00:ec2::254 fd20:ce::254 168.63.129.16 100.100.100.200 192.0.0.192; do
    if ! grep -qE "^[[:blank:]]*nameserver[[:blank:]]+$address([[:blank:]%]|\$)" /etc/resolv.conf 2>/dev/null; then
      say "IPAddressDeny=$address"
    fi
  done
}

next_steps() {
  if [ "$service" = yes ]; then
    as='sudo '
    command -v sudo >/dev/null || as=''
    program=$bin/jobd
    if [ "$(command -v jobd)" = "$program" ]; then program=jobd; fi
    say "settings are in $settings, data is in $data; next, sign in with a browser:"
    say "  $as$program open"
    return
  fi
  case :${PATH:-}: in
    *:"$bin":*) say 'next: jobd serve' ;;
    *) say "next: $bin/jobd serve; $bin is not in PATH" ;;
  esac
}

uninstall() {
  if [ "$service" = yes ] && [ -f "$unit" ] && ! grep -qF "ExecStart=$bin/jobd " "$unit"; then
    say "kept the service, which runs another jobd: $unit"
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
    kept="$data $(dirname "$settings")"
    for path in "$backups" "$unit.d"; do
      if [ -e "$path" ]; then kept="$kept $path"; fi
    done
    say "kept the user jobd, and $kept; to remove them too:"
    say "  rm -r $kept && userdel jobd"
  else
    say 'kept your data, by default in ~/.local/share/jobd'
  fi
  say 'a shell that has run jobd looks for it there: hash -r'
}

# Last line, in braces: a script that was cut off during download runs nothing.
{ main "$@"; }
