/** What of a channel's config the other side may repeat and nobody may read. */

import type { ChannelConfig } from './channel.ts';
import { spellingsOf } from '../secrets/redaction.ts';

/** Parts of a path, a query or a host this long may be a token by themselves. */
const shortestToken = 10;

/** The texts to look for: each value, what in it is a secret by itself, and the spellings of all that. */
export function channelSecrets(config: ChannelConfig): string[] {
  const { url, ...values } = config;
  const texts = Object.values(values);
  const ofUrl = url === undefined ? [] : [url, ...partsOfUrl(url)];
  return spellingsOf([...texts, ...texts.flatMap(partsOfToken), ...ofUrl]);
}

/** `whsec_…` without its prefix, the token of a Telegram bot without the bot's number. */
function partsOfToken(value: string): string[] {
  return [value.replace(/^whsec_/, ''), value.replace(/^\d+:/, '')];
}

/** Tokens ride in any part of a URL; the scheme and short names say nothing. */
function partsOfUrl(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const pieces = [
    ...url.pathname.split('/'),
    ...[...url.searchParams].flat(),
    ...url.hostname.split('.'),
  ];
  const tokens = pieces.filter((piece) => piece.length >= shortestToken);
  return [url.href, `${url.pathname}${url.search}`, url.pathname, ...tokens];
}
