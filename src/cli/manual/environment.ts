/** Every variable of the environment that jobd reads, once: for help, man page and documentation. */

import { defaultServerUrl, serveDefaults } from '../../config.ts';

/** By name, what it is for. */
export const environment: readonly (readonly [name: string, means: string])[] = [
  ['JOBD_URL', `site URL of the server that commands ask (default ${defaultServerUrl})`],
  ['JOBD_API_KEY', 'the key that they ask it with'],
  ['JOBD_PROFILE', 'the profile of jobd login that is used, as by --profile'],
  ['XDG_CONFIG_HOME', 'profiles are kept in jobd/profiles.json there (default ~/.config)'],
  [
    'JOBD_DATA',
    'data directory (default $STATE_DIRECTORY, else $XDG_DATA_HOME/jobd, else ~/.local/share/jobd)',
  ],
  ['STATE_DIRECTORY', 'data directory, as systemd sets it'],
  ['XDG_DATA_HOME', 'the data directory is jobd in it'],
  [
    'XDG_CACHE_HOME',
    'without a data directory, the database driver is unpacked in jobd there (default ~/.cache)',
  ],
  ['JOBD_HOST', `serve: address to listen on (default ${serveDefaults.host})`],
  ['JOBD_PORT', `serve: port to listen on, 0 takes a free one (default ${serveDefaults.port})`],
  ['JOBD_BASE_URL', 'serve: site URL that people reach the service by'],
  ['JOBD_SLOTS', `serve: calls in flight at most (default ${serveDefaults.slots})`],
  [
    'JOBD_SLOTS_PER_HOST',
    `serve: calls in flight to one host name at most (default ${serveDefaults.slotsPerHost})`,
  ],
  [
    'JOBD_ALLOW_TARGETS',
    'serve: addresses or ports of your own that may be called, CIDR[:PORT|:*], by commas',
  ],
  ['JOBD_CORS_ORIGINS', 'serve: origins whose pages may ask the API, by commas'],
  ['JOBD_SMTP_URL', 'serve: server that mails of alerts go out by'],
  ['JOBD_MAIL_ALLOW', 'serve: addresses and domains that mail channels may send to, by commas'],
  ['JOBD_HEARTBEAT_URL', 'serve: called each minute while the scheduler is healthy'],
  ['JOBD_METRICS', 'serve: also listen here, HOST:PORT, for GET /metrics, for Prometheus'],
  ['JOBD_NO_SIGNING', 'serve: issue no receipts, if it is set to anything'],
  [
    'JOBD_LOG_LEVEL',
    `serve: fatal, error, warn, info, debug, trace or silent (default ${serveDefaults.logLevel})`,
  ],
  ['JOBD_SECRET_KEY', 'the master key, instead of the file in the data directory'],
  ['JOBD_SECRET_KEY_NEW', 'secrets rotate: the master key to change to'],
  ['NODE_EXTRA_CA_CERTS', 'serve: file of certificates (PEM) to trust beside the built-in ones'],
  ['NO_COLOR', 'no colours, if it is set to anything; there are none in a pipe either'],
  ['TERM', 'dumb: nothing moves, and there are no colours'],
];
