/** What every kind of channel is: how its `config` is read, and what is sent for an alert. */

import type { Alert } from '../alert.ts';
import type { ChannelConfig } from '../channel.ts';
import { got, invalidInput, messageOf } from '../../errors.ts';
import { judgeUrl } from '../../targets/target.ts';
import type { AllowedTarget } from '../../targets/target.ts';

/** A request to send, as plain data. */
export interface HttpMessage {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The secret to sign it with (Standard Webhooks); null to send it as it is. */
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

export interface ChannelKind {
  /** Fields of `config`: whether each must be given. */
  readonly fields: Readonly<Record<string, 'required' | 'optional'>>;
  /** Checks what the fields hold. Throws `invalid_input`, never repeating a secret. */
  check(config: ChannelConfig, allowTargets: readonly AllowedTarget[]): void;
  /** What is sent for an alert. */
  message(alert: Alert, config: ChannelConfig): Message;
}

/** The value of a field that was checked to be there. */
export function field(config: ChannelConfig, name: string): string {
  return config[name] ?? '';
}

/** Checks a field that is a URL by the rule of targets. Throws `invalid_input`. */
export function checkUrl(config: ChannelConfig, allowTargets: readonly AllowedTarget[]): URL {
  try {
    return judgeUrl(field(config, 'url'), allowTargets);
  } catch (error) {
    throw invalidInput(`config.${messageOf(error)}`);
  }
}

/** Checks a field by its form. The value is repeated only if it is no secret. */
export function checkForm(
  config: ChannelConfig,
  name: string,
  { form, rule, isSecret }: { form: RegExp; rule: string; isSecret: boolean },
): void {
  const value = config[name];
  if (value === undefined || form.test(value)) return;
  throw invalidInput(`config.${name} must be ${rule}${isSecret ? '' : `, ${got(value)}`}`);
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
