/**
 * What a wing may add to jobd. A wing is an optional feature in a folder of `wings`: it imports the house, and the house never
 * imports it. `wings.ts` names them all.
 */

import type { Command } from 'commander';
import type { ApiServer } from '../api/http/fastify.ts';
import type { RequestLimits } from '../api/http/limits/request-limits.ts';
import type { App, Ground } from '../app/app.ts';
import type { Log } from '../base/log.ts';
import type { Context, ReadCurl } from '../cli/context.ts';
import type { Egress } from '../egress/egress.ts';
import type { Step } from '../engine/loop.ts';
import type { Spans } from '../domain/runs/call-span.ts';
import type { Meters } from '../metrics/meter.ts';
import type { Flags, ServeConfig } from '../settings/config.ts';

export type AddCommands = (program: Command, context: Context) => void;

/** The headings of `jobd --help`, in their order. */
export const headings = {
  serve: 'Serve',
  client: 'Sign in',
  jobs: 'Jobs, monitors and alerts',
  files: 'Definitions in files',
  proof: 'Receipts and signatures',
  access: 'Keys and accounts (on the server)',
  operate: 'Operate (on the server)',
  manual: 'Manual',
} as const;
export type Heading = keyof typeof headings;

/** A file of commands, loaded when one of them is asked for. */
export interface CommandFile {
  heading: Heading;
  /** The words that ask for it; help shows what it adds. */
  names: readonly string[];
  load: () => Promise<AddCommands>;
}

/** Files of commands, by the first of their words. */
export type Loaders = Readonly<Record<string, CommandFile['load']>>;

/** Files of one command each, under a heading. */
export function filesOf(heading: Heading, loaders: Loaders): CommandFile[] {
  return Object.entries(loaders).map(([name, load]) => ({ heading, names: [name], load }));
}

/** What operations get beside the app. */
export interface ApiParts {
  limits: RequestLimits;
  siteUrl: () => string;
}

/** Adds operations: those of `operations` need a key. */
export type AddOperations = (server: ApiServer, app: App, parts: ApiParts) => void;

/** A daemon before its first call. */
export interface Starting extends Ground {
  readonly config: Pick<ServeConfig, 'dataDir' | 'database' | 'backups' | 'spans'>;
  readonly log: Log;
  readonly meter: Meters;
  readonly instanceId: string;
  /** Calls that may lead anywhere, since the operator says where. */
  readonly callAnywhere: () => Promise<Egress>;
  /** Disposes of a part when no call is in flight any more. */
  readonly use: <Part extends AsyncDisposable>(part: Part) => Part;
  /** Does steps of a loop in the background, on one node at a time. */
  readonly addDuty: (name: string, step: Step) => void;
  /** Hears of the spans of calls. */
  readonly takeSpans: (spans: Spans) => void;
}

/** Takes part in a daemon that starts. Throws `JobdError` if it cannot. */
export type TakePart = (starting: Starting) => Promise<void> | void;

/** A jobd that is served to look around in. Disposing of it removes everything. */
export interface Demo extends AsyncDisposable {
  config: ServeConfig;
  /** Fills the jobd that now serves at this URL. Returns what people are to know. */
  readonly fill: (url: string) => Promise<string>;
}

/** Prepares a demo, from the options that somebody gave. Throws `invalid_input` for one that it cannot have. */
export type PrepareDemo = (given: Flags) => Promise<Demo>;

/** What a wing adds. All of it is loaded when it is asked for. */
export interface Wing {
  readonly commands?: readonly CommandFile[];
  readonly operations?: () => Promise<AddOperations>;
  /** Routes outside the API, which need no key. */
  readonly open?: () => Promise<AddOperations>;
  /** Takes part in daemons that make calls. */
  readonly daemon?: () => Promise<TakePart>;
  /** Lets `jobd serve` take `--demo`. */
  readonly demo?: () => Promise<PrepareDemo>;
  /** Lets `jobd jobs create` take a curl command. */
  readonly readCurl?: ReadCurl;
}
