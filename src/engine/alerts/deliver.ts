/** Deliver: one attempt to send one alert to one channel. A failure of the other side is a value. */

import { createHmac } from 'node:crypto';
import type { Alert } from '../../domain/alerts/alert.ts';
import { cut } from '../../domain/alerts/text.ts';
import { configSecrets } from '../../domain/alerts/config.ts';
import { channelKinds } from '../../domain/alerts/kinds/registry.ts';
import { askedInBodyMs, isLastOwnTry, isRefused } from '../../domain/alerts/refusal.ts';
import type { ChannelKind, HttpMessage, MailMessage } from '../../domain/alerts/kinds/kind.ts';
import { oneLine } from '../../domain/one-line.ts';
import type { Clock } from '../../domain/clock.ts';
import { limitWords, messageOf } from '../../domain/errors.ts';
import { decodingMsOf, outcomeOf, type Outcome } from '../../domain/runs/outcome.ts';
import { refusedOnPurpose } from '../../domain/targets/cloud-metadata.ts';
import { errorOf } from '../../domain/runs/reason.ts';
import { createRedactor, redactResult, type Redactor } from '../../domain/secrets/redaction.ts';
import { askedWaitMs } from '../../domain/runs/retry.ts';
import { maskedAddress } from '../../domain/alerts/destination.ts';
import { notAllowed } from '../../domain/alerts/mail-allow.ts';
import { mailRule } from '../../domain/alerts/mail-limit.ts';
import { openConfig } from '../../domain/secrets/sealed-config.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Mailer } from '../../egress/mail.ts';
import type { DueChannel, DueDelivery } from '../../store/alerts/delivery-queue.ts';
import type { Signer } from '../proof/sign.ts';
import type { MailAllowance } from './mail-limit.ts';

export interface DelivererParts {
  egress: Egress;
  /** Null without a mail server. */
  mailer: Mailer | null;
  /** What workspaces may still mail. */
  mailAllowance: Pick<MailAllowance, 'take'>;
  /** Signs webhooks with the receipt key; null if signing is off. */
  signer: Signer | null;
  vault: Vault;
  clock: Clock;
}

/** The result of an attempt: `error` is null if the alert arrived. */
export interface Result {
  error: string | null;
  /** Null where no answer came, and for mail. */
  httpStatus: number | null;
  /** How long the other side asked to wait, in milliseconds. */
  askedMs: number | null;
  /** Whether a whole answer came in time. */
  isAnswered: boolean;
  /** Whether another attempt would fail in the same way. */
  isFinal: boolean;
  /** How long after its end the answer was handed out. */
  decodingMs?: number;
}

const timeoutMs = 10_000;
/** A longer `Retry-After` is cut to this. */
const longestAskedMs = 3_600_000;
/** Longest part of an answer that is kept. */
const longestAnswer = 200;

/** Makes one attempt. Rejects only when `signal` aborts. */
export async function deliver(
  channel: DueChannel,
  delivery: DueDelivery,
  parts: DelivererParts,
  signal: AbortSignal,
): Promise<Result> {
  let redactor = createRedactor([]);
  try {
    const config = openConfig(channel, channel.sealed, parts.vault);
    redactor = createRedactor(configSecrets(channel.type, config));
    const alert = JSON.parse(delivery.payload) as Alert;
    const kind = channelKinds[channel.type];
    const message = kind.message(alert, config, delivery.id);
    const result =
      message.kind === 'http'
        ? await call(message, delivery, { ...parts, redactor, kind }, signal)
        : await mail(message, { id: delivery.id, workspaceId: channel.workspaceId }, parts);
    return { ...result, error: result.error && redactor.redact(result.error) };
  } catch (error) {
    signal.throwIfAborted();
    const isFinal = isLastOwnTry(delivery.attempts + 1);
    return { ...ourFailure(redactor.redact(oneLine(messageOf(error)))), isFinal };
  }
}

interface CallParts extends DelivererParts {
  redactor: Redactor;
  kind: ChannelKind;
}

async function call(
  message: HttpMessage,
  { id, attempts }: Pick<DueDelivery, 'id' | 'attempts'>,
  { egress, signer, clock, redactor, kind }: CallParts,
  signal: AbortSignal,
): Promise<Result> {
  const now = clock.now();
  const signature = await signatureHeaders(message, id, Math.floor(now / 1_000), signer);
  const headers = { ...message.headers, ...signature };
  const { url, method, body } = message;
  const result = await egress.call({ url, method, headers, body, timeoutMs }, signal);
  if ('trouble' in result) return ourFailure(result.trouble);
  // Before the answer is cut: half a secret would not be found.
  const outcome = outcomeOf(redactResult(result, redactor));
  const { httpStatus, responseBody } = outcome;
  const failure = advised(outcome);
  const said = responseBody ?? '';
  const isNoReceipt = failure === null && kind.isTaken?.(said) === false;
  const error = isNoReceipt
    ? `http: ${httpStatus}, but the answer does not say that the alert was taken`
    : failure;
  const isAnswered = result.kind === 'response' && result.response.broken === null;
  const seen = { httpStatus, isAnswered, decodingMs: decodingMsOf(result) };
  if (error === null) return { ...seen, error, askedMs: null, isFinal: false };
  const status = httpStatus ?? 0;
  return {
    ...seen,
    error: [error, kind.adviceOn?.(said) ?? cut(oneLine(said), longestAnswer)]
      .filter((words) => words !== '')
      .join(', '),
    askedMs:
      askedWaitMs(result, now, longestAskedMs) ?? askedInBodyMs(status, said, longestAskedMs),
    isFinal: isRefused(kind, status, attempts + 1),
  };
}

/** Why an attempt failed; of an address that is refused, also what to do. */
function advised(outcome: Outcome): string | null {
  const error = errorOf(outcome);
  if (outcome.reason === 'blocked_metadata') return `${error}; ${refusedOnPurpose}`;
  if (outcome.reason !== 'blocked_address') return error;
  return `${error}; the operator of jobd can allow it with jobd serve --allow-target ADDRESS:PORT`;
}

/** A failure on this side, which is no reason to back off from the channel. */
function ourFailure(why: string): Result {
  return { ...withoutAnswer(`jobd: ${why}`), isAnswered: true };
}

function withoutAnswer(error: string | null): Result {
  return { error, httpStatus: null, askedMs: null, isAnswered: error === null, isFinal: false };
}

/** Standard Webhooks: HMAC-SHA256 with the secret (`v1`), Ed25519 with the receipt key (`v1a`), over id, seconds and body. */
async function signatureHeaders(
  { body, signWith }: HttpMessage,
  id: string,
  seconds: number,
  signer: Signer | null,
): Promise<Record<string, string>> {
  if (signWith === null) return {};
  const content = `${id}.${seconds}.${body}`;
  const key = Buffer.from(signWith.replace(/^whsec_/, ''), 'base64');
  const signatures = [`v1,${createHmac('sha256', key).update(content).digest('base64')}`];
  if (signer !== null) signatures.push(`v1a,${await signer.signText(content)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

async function mail(
  message: MailMessage,
  { id, workspaceId }: { id: string; workspaceId: string },
  { mailer, mailAllowance }: DelivererParts,
): Promise<Result> {
  if (mailer === null) {
    return withoutAnswer(
      'mail: no mail server is configured, start jobd serve with --smtp-url URL',
    );
  }
  const refused = message.to.filter((address) => !mailer.allows(address));
  if (refused.length > 0) {
    const error = `mail: ${notAllowed(refused.map(maskedAddress))}`;
    return { ...withoutAnswer(error), isAnswered: true, isFinal: true };
  }
  const waitMs = await mailAllowance.take(workspaceId, message.to.length);
  if (waitMs > 0) {
    const error = `mail: ${limitWords(mailRule, waitMs)}`;
    return { ...withoutAnswer(error), isAnswered: true, askedMs: waitMs };
  }
  const { kind: _, ...fields } = message;
  const failure = await mailer.send({ ...fields, id }, timeoutMs);
  if (failure === null) return withoutAnswer(null);
  const { error, isFinal, isOurs } = failure;
  if (isOurs) return ourFailure(error);
  return { ...withoutAnswer(error), isAnswered: isFinal, isFinal };
}
