/**
 * What a kind of channel says about itself. Its file holds everything about the kind: the checks of its config, the API's
 * description, the redaction of its secrets and the command line's help are made from this.
 */

import type { Alert } from '../alert.ts';
import type { MailRule } from '../mail-allow.ts';
import { got, invalidInput } from '../../errors.ts';
import { judgeUrl, type AllowedTarget } from '../../targets/target.ts';

/** Where a channel delivers to, with its secrets: a text for each field. It is kept sealed and never shown. */
export type ChannelConfig = Readonly<Record<string, string>>;

/** What the operator allows. */
export interface ConfigRules {
  allowTargets: readonly AllowedTarget[];
  /** Whom mail may be sent to; anybody if there are none. */
  mailAllow: readonly MailRule[];
}

export interface ConfigField {
  /** For the API's documentation. */
  description: string;
  isOptional?: true;
  /** Throws `invalid_input`, never repeating a secret; `name` is the field as people know it. */
  readonly check: (value: string, name: string, rules: ConfigRules) => void;
  /** How commands take it: typed; typed or from a file; if missing, only from a file, as other users can see what is typed. */
  given?: 'typed' | 'either';
  /** Makes a value from 32 random bytes if a new channel has none. An update without one keeps the channel's own. */
  readonly generate?: (random: Uint8Array) => string;
  /** The parts of a value that are secrets by themselves. */
  readonly parts?: (value: string) => string[];
  /** Whether a value is a list, separated by commas. */
  isList?: true;
}

export interface ChannelKind {
  fields: Readonly<Record<string, ConfigField>>;
  /** A config for the API's documentation. */
  example: ChannelConfig;
  /** Whether it sends through the mail server of the operator. */
  needsMailServer?: true;
  /** What is sent for an alert; `id` is that of the delivery. The config has passed the checks of its fields. */
  readonly message: (alert: Alert, config: ChannelConfig, id: string) => Message;
  /** Whether a 2xx answer says that the alert was taken, by the beginning of its body; each does if a kind has none. */
  readonly isTaken?: (body: string) => boolean;
  /** After how many attempts a refusal ends a delivery; the first if a kind says nothing. */
  attemptsIfRefused?: number;
  /** What people are to do after a refusal, by the beginning of its body; null if the body does not say. */
  readonly adviceOn?: (body: string) => string | null;
}

/** A request to send, as plain data. */
export interface HttpMessage {
  kind: 'http';
  method: 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The secret to sign it with (Standard Webhooks); null to send it unsigned. */
  signWith: string | null;
}

/** A mail to send, as plain data. */
export interface MailMessage {
  kind: 'mail';
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
}

export type Message = HttpMessage | MailMessage;

/** A check by the URL rule of jobs. */
export const checkUrl: ConfigField['check'] = (value, name, { allowTargets }) => {
  judgeUrl(value, allowTargets, name);
};

/** A check of the URL of a server to which a path is added: it has no query and no fragment. */
export const checkBaseUrl: ConfigField['check'] = (value, name, rules) => {
  checkUrl(value, name, rules);
  const { search, hash } = new URL(value);
  if (search !== '' || hash !== '')
    throw invalidInput(`${name} must have no query and no fragment`);
};

/** A URL that passed `checkBaseUrl`, without a slash at its end. */
export function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '');
}

/** Makes a check by a form; `rule` completes "must be …". The message repeats a value that may be shown. */
export function checkForm(
  form: RegExp,
  rule: string,
  { isShown = false }: { isShown?: boolean } = {},
): ConfigField['check'] {
  return (value, name) => {
    if (form.test(value)) return;
    throw invalidInput(`${name} must be ${rule}${isShown ? `, ${got(value)}` : ''}`);
  };
}

/** A POST of JSON. */
export function jsonMessage(
  url: string,
  document: object,
  headers: Record<string, string> = {},
): HttpMessage {
  return {
    kind: 'http',
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(document),
    signWith: null,
  };
}
