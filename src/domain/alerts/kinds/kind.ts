/**
 * What a kind of channel says about itself. Its file holds everything about the kind: the checks of its config, the API's
 * description, the redaction of its secrets and the command line's help are made from this.
 */

import type { Alert } from '../alert.ts';
import type { MailRule } from '../mail-allow.ts';
import { got, invalidInput, messageOf } from '../../errors.ts';
import { judgeUrl } from '../../targets/target.ts';
import type { AllowedTarget } from '../../targets/target.ts';

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
  /** Makes a value from 32 random bytes if a new channel has none. An update without one keeps the channel's own. */
  readonly generate?: (random: Uint8Array) => string;
  /** What stands before the part of a value that is a secret by itself. */
  prefix?: RegExp;
}

export interface ChannelKind {
  fields: Readonly<Record<string, ConfigField>>;
  /** A config for the API's documentation. */
  example: ChannelConfig;
  /** What is sent for an alert. The config has passed the checks of its fields. */
  readonly message: (alert: Alert, config: ChannelConfig) => Message;
}

/** A request to send, as plain data. */
export interface HttpMessage {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The secret to sign it with (Standard Webhooks); null to send it unsigned. */
  signWith: string | null;
}

/** A mail to send, as plain data. */
export interface MailMessage {
  kind: 'mail';
  to: string;
  subject: string;
  text: string;
  html: string;
}

export type Message = HttpMessage | MailMessage;

/** A check by the URL rule of jobs. */
export const checkUrl: ConfigField['check'] = (value, _name, { allowTargets }) => {
  try {
    judgeUrl(value, allowTargets);
  } catch (error) {
    throw invalidInput(`config.${messageOf(error)}`);
  }
};

/** Makes a check by a form; `rule` completes "must be …". The message repeats the value unless it is a secret. */
export function checkForm(
  form: RegExp,
  rule: string,
  { isSecret }: { isSecret: boolean },
): ConfigField['check'] {
  return (value, name) => {
    if (form.test(value)) return;
    throw invalidInput(`${name} must be ${rule}${isSecret ? '' : `, ${got(value)}`}`);
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
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(document),
    signWith: null,
  };
}
