/** Every environment variable that jobd reads: help, the man page and docs use this table. */

import { defaultServerUrl, serveDefaults } from '../../settings/config.ts';

/** Each name with its meaning. */
export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['JOBD_URL', `URL of the server that commands talk to (default ${defaultServerUrl})`],
  ['JOBD_API_KEY', 'API key for that server'],
  ['JOBD_PING_URL', 'ping: URL of the monitor, if none is given'],
  ['JOBD_PROFILE', 'profile to use, like --profile'],
  ['XDG_CONFIG_HOME', 'jobd/profiles.json in it holds the profiles (default ~/.config)'],
  [
    'JOBD_DATA',
    'data directory (default $STATE_DIRECTORY, else $XDG_DATA_HOME/jobd, else ~/.local/share/jobd)',
  ],
  [
    'JOBD_DATABASE_URL',
    'PostgreSQL database instead of a file in the data directory: postgres://USER:PASSWORD@HOST/DATABASE',
  ],
  ['STATE_DIRECTORY', 'data directory, set by systemd'],
  [
    'TZDIR',
    'directory of time-zone files, used if newer than the built-in data (default /usr/share/zoneinfo)',
  ],
  ['XDG_DATA_HOME', 'jobd in it is the data directory'],
  [
    'XDG_CACHE_HOME',
    'without a data directory, jobd in it holds the unpacked database driver (default ~/.cache)',
  ],
  ['JOBD_HOST', `serve: address to listen on (default ${serveDefaults.host})`],
  ['JOBD_PORT', `serve: port to listen on, 0 for any free one (default ${serveDefaults.port})`],
  [
    'JOBD_MAX_DATABASE_SIZE',
    'serve: remove history before its time to keep the database file below this, such as 20GiB',
  ],
  ['JOBD_BASE_URL', 'serve: public URL of this server'],
  ['JOBD_SLOTS', `serve: maximum calls in flight (default ${serveDefaults.slots})`],
  [
    'JOBD_SLOTS_PER_HOST',
    `serve: maximum calls in flight to one host name (default ${serveDefaults.slotsPerHost})`,
  ],
  [
    'JOBD_ALLOW_TARGETS',
    'serve: private addresses or ports that jobs may call, CIDR[:PORT|:*], comma-separated',
  ],
  ['JOBD_CORS_ORIGINS', 'serve: origins whose pages may use the API, comma-separated'],
  ['JOBD_TRUSTED_PROXY', 'serve: proxies whose X-Forwarded-For is believed, CIDR, comma-separated'],
  ['JOBD_SMTP_URL', 'serve: SMTP server for alert email'],
  ['JOBD_MAIL_ALLOW', 'serve: addresses and domains that may get alert email, comma-separated'],
  ['JOBD_HEARTBEAT_URL', 'serve: URL to call each minute while the scheduler is healthy'],
  ['JOBD_METRICS', 'serve: HOST:PORT to serve Prometheus metrics on, at GET /metrics'],
  ['JOBD_BACKUP_TO', 'serve: directory to make backups in, by itself'],
  ['JOBD_BACKUP_EVERY', `serve: how often, at least 1m (default ${serveDefaults.backupEvery})`],
  [
    'JOBD_BACKUP_KEEP',
    `serve: how long to keep backups, or how many (default ${serveDefaults.backupKeep})`,
  ],
  ['JOBD_BACKUP_RECIPIENTS', 'serve: age public keys to encrypt backups for, comma-separated'],
  ['JOBD_NO_SIGNING', 'serve: sign no receipts, if set to anything'],
  ['JOBD_TRACE_CONTEXT', 'serve: send a W3C traceparent header with each call, if set to anything'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'serve: OpenTelemetry collector to send a span of each call to, by OTLP over HTTP',
  ],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'serve: the same, as a full URL'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'serve: headers for the collector, name=value, comma-separated'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'serve: the same, instead of those'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'serve: http/json or http/protobuf; spans are JSON with either'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'serve: the same, instead of that'],
  [
    'OTEL_TRACES_EXPORTER',
    'serve: none sends no spans, otlp sends them, by default to localhost:4318',
  ],
  ['OTEL_SDK_DISABLED', 'serve: true sends no spans'],
  ['OTEL_SERVICE_NAME', 'serve: service.name of spans (default jobd)'],
  [
    'OTEL_RESOURCE_ATTRIBUTES',
    'serve: attributes of the service in spans, name=value, comma-separated',
  ],
  ['OTEL_TRACES_SAMPLER', 'serve: always_on, always_off or traceidratio (default always_on)'],
  ['OTEL_TRACES_SAMPLER_ARG', 'serve: share of runs for traceidratio, 0 to 1 (default 1)'],
  [
    'JOBD_LOG_LEVEL',
    `serve: fatal, error, warn, info, debug, trace or silent (default ${serveDefaults.logLevel})`,
  ],
  ['JOBD_LOG_FORMAT', 'serve: human or json (default human on a terminal, else json)'],
  ['JOBD_SECRET_KEY', 'the master key, instead of the file in the data directory'],
  ['JOBD_SECRET_KEY_FILE', 'a file with the master key, such as a credential of systemd'],
  ['JOBD_SECRET_KEY_NEW', 'serve, secrets rotate: the new master key'],
  ['JOBD_SECRET_KEY_NEW_FILE', 'serve, secrets rotate: a file with the new master key'],
  [
    'JOBD_UPGRADE_PUBLIC_KEY',
    'upgrade: PEM file of the Ed25519 key that must have signed SHA256SUMS',
  ],
  ['PGPASSWORD', 'password of the PostgreSQL database, if its URL has none'],
  ['PGPASSFILE', 'file of passwords of PostgreSQL databases (default ~/.pgpass)'],
  ['SUDO_USER', 'who runs a command, for the audit trail; set by sudo'],
  ['SSL_CERT_FILE', 'PEM file of authorities to trust, instead of that of the system'],
  ['SSL_CERT_DIR', 'directory of authorities to trust, instead of that of the system'],
  ['NODE_EXTRA_CA_CERTS', 'PEM file of authorities to trust besides all others'],
  [
    'JOURNAL_STREAM',
    'serve: where the journal reads the log, lines begin with their priority; set by systemd',
  ],
  [
    'NOTIFY_SOCKET',
    'serve: where systemd waits to hear that jobd serves, by systemd-notify; set by systemd',
  ],
  ['NO_COLOR', 'no colours, if set to anything; pipes never get colours'],
  ['TERM', 'dumb: no colours and no spinner'],
];
