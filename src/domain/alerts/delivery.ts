/** A delivery: one alert for one channel, attempted until it arrives or a day has passed. */

import { msPerDay } from '../clock.ts';
import type { AlertType, Subject } from './alert.ts';

/**
 * Attempts in flight over all channels of people, and over all callbacks of jobs: each may need a connection. Callbacks have
 * their own, so that none delays an alert; and of those, targets that gave no answer last get a part, so that they delay no
 * other. In a storm of alerts, making and recording them leave the time to what else there is (`restAfter`).
 */
export const attemptsInFlight = {
  alerts: { most: 64, mostUnanswered: 64, rests: 7 },
  callbacks: { most: 32, mostUnanswered: 8, rests: 0 },
} as const;
/** Attempts in flight of both together. */
export const mostAttempts = attemptsInFlight.alerts.most + attemptsInFlight.callbacks.most;
export type AttemptBounds = (typeof attemptsInFlight)[keyof typeof attemptsInFlight];

/** How long a step of alerts rests that took this many milliseconds: `rests` times as long, a second at most. */
export function restAfter(tookMs: number, rests: number): number {
  return Math.min(rests * tookMs, 1_000);
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Its id is the `webhook-id`. Times are epoch milliseconds. */
export interface Delivery {
  id: string;
  channelId: string;
  event: AlertType;
  /** The job or monitor, as it was named; null if it is about none or about several. */
  subject: Subject | null;
  status: DeliveryStatus;
  attempts: number;
  lastAttemptAt: number | null;
  /** Why the last attempt failed, for people. */
  lastError: string | null;
  createdAt: number;
}

export interface NamedDelivery extends Delivery {
  channelName: string;
}

/** The delivery of a finished run to the `onResult` of its job. */
export interface PostedResult extends Delivery {
  runId: string;
  /** The earliest time; null if there will be no further one. */
  nextAttemptAt: number | null;
}

/** One attempt of a delivery. Times are epoch milliseconds. */
export interface DeliveryAttempt {
  /** From 1 on. */
  number: number;
  startedAt: number;
  durationMs: number;
  /** Null without an answer, and for mail. */
  httpStatus: number | null;
  /** Null if it arrived. */
  error: string | null;
}

/** A delivery with its attempts, the first one first. */
export interface TriedDelivery {
  delivery: Delivery;
  attempts: DeliveryAttempt[];
}

/** Results of one job: the most that wait, the newest, and the most deliveries kept. A job may have one each minute. */
export const callbackBounds = { waiting: 100, kept: 200 } as const;

/** Deliveries of a workspace that wait, each with a whole alert. A channel has at most as many as it leaves free for others. */
export const mostWaiting = 5_000;

/** Deliveries that are over are kept this long, and of each channel this many. */
export const mostDeliveriesKept = 1_000;
export const deliveriesKeptMs = 30 * msPerDay;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Waits before the second and the next attempts; then an hour each. */
const waitsMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
/** Waits after consecutive attempts of a channel without an answer. The last one repeats. */
const backOffsMs = [5_000, 30_000, 2 * minuteMs];
/** At this age there is one last attempt. */
export const deliveryLifeMs = 24 * hourMs;
/** A wait varies by up to this share, so that many deliveries do not come back at one instant. */
const jitter = 0.1;

/**
 * Until when a channel that gave no answer is left alone, in epoch milliseconds.
 *
 * @param unanswered consecutive attempts without an answer, at least 1
 */
export function backOffUntil(unanswered: number, now: number): number {
  return now + (backOffsMs[unanswered - 1] ?? backOffsMs.at(-1) ?? 0);
}

/**
 * When to retry a delivery that has just failed, in epoch milliseconds; null if it is given up.
 *
 * @param attempts so far
 * @param random in [0, 1)
 * @param askedMs how long the other side asked to wait; null if it did not
 */
export function nextAttemptAt(
  { createdAt, attempts }: Pick<Delivery, 'createdAt' | 'attempts'>,
  now: number,
  random: number,
  askedMs: number | null = null,
): number | null {
  const endAt = createdAt + deliveryLifeMs;
  if (now >= endAt) return null;
  const waitMs = (waitsMs[attempts - 1] ?? hourMs) * (1 - jitter + 2 * jitter * random);
  const wantedMs = Math.max(waitMs, Math.min(askedMs ?? 0, hourMs));
  return Math.min(Math.round(now + wantedMs), endAt);
}
