/** Every environment variable that jobd reads, for help, the man page and docs; and the names that it only seems to read. */

import { nearest } from '../domain/nearest.ts';
import { defaultServerUrl } from './config.ts';
import { serveVariables } from './serve-settings.ts';

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
  ...serveVariables,
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

export interface UnknownVariable {
  variable: string;
  /** The one that is probably meant; null if none is near. */
  meant: string | null;
}

/** install.sh reads this one. */
const known = [...environment.map(([name]) => name), 'JOBD_DOWNLOAD_URL'];

/** Those among the names of an environment that begin as jobd's own do: a setting that is misspelt has no effect. */
export function unknownVariables(names: readonly string[]): UnknownVariable[] {
  const services = names.flatMap((name) => /^(JOBD\w*)_SERVICE_HOST$/.exec(name)?.[1] ?? []);
  return names
    .filter((name) => /^JOBD_/i.test(name) && !known.includes(name))
    .filter((name) => !services.some((service) => isOfService(name, service)))
    .map((variable) => {
      const longer = known.find((name) => variable.startsWith(`${name}_`));
      return { variable, meant: nearest(variable, known, 3) ?? longer ?? null };
    });
}

/** Kubernetes names each Service of a namespace in the environment of its containers. */
function isOfService(name: string, service: string): boolean {
  return name.startsWith(`${service}_SERVICE_`) || name.startsWith(`${service}_PORT`);
}

/** What is said of one. */
export function unknownWords({ variable, meant }: UnknownVariable): string {
  const hint = meant === null ? 'jobd help environment lists all' : `did you mean ${meant}?`;
  return `${variable} is no variable of jobd and is ignored: ${hint}`;
}
