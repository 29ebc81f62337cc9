/**
 * Where spans are sent, by the environment variables of OpenTelemetry (its specification, "Environment Variable Specification" and
 * "OTLP exporter"). They are often set for a whole machine, so a wrong one is a warning and never keeps jobd from starting.
 */

import type { ResourceAttributes } from './call-span.ts';

export interface SpanSettings {
  /** The full URL that spans are posted to. */
  url: string;
  headers: Readonly<Record<string, string>>;
  resource: ResourceAttributes;
  /** The share of runs whose spans are sent, 0 to 1. */
  ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that cannot be used; the message is for people, and has no value, which may be secret. */
class Unusable extends Error {}

/** The settings; null if spans are not wanted; a sentence if they are and cannot be sent. */
export function spanSettings(env: Environment): SpanSettings | null | { problem: string } {
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim() || null;
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || null;
  const tracesEndpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || null;
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true' || exporter === 'none') return null;
  if (exporter === null && endpoint === null && tracesEndpoint === null) return null;
  try {
    if (exporter !== null && exporter !== 'otlp') {
      throw new Unusable('OTEL_TRACES_EXPORTER must be otlp or none');
    }
    checkProtocol(env);
    return {
      url:
        tracesEndpoint === null
          ? `${usable(endpoint ?? 'http://localhost:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT').replace(/\/$/, '')}/v1/traces`
          : usable(tracesEndpoint, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
      headers: headersOf(env),
      resource: resourceOf(env),
      ratio: ratioOf(env),
    };
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.message };
    throw error;
  }
}

/** JSON is sent where protobuf is asked for: collectors take both at one address, but gRPC at another. */
function checkProtocol(env: Environment): void {
  const name = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  if (['', 'http/json', 'http/protobuf'].includes(env[name] ?? '')) return;
  throw new Unusable(`${name} must be http/json or http/protobuf: jobd does not speak gRPC`);
}

function usable(text: string, name: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '') {
    return url.href;
  }
  throw new Unusable(`${name} must be an http or https URL without a user name`);
}

function headersOf(env: Environment): Record<string, string> {
  const name = env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']
    ? 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'
    : 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = Object.entries(pairsOf(env[name] ?? '', name));
  for (const [header, value] of headers) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(header) && /^[\t\x20-\x7e]*$/.test(value)) continue;
    throw new Unusable(`${name} has a header that HTTP does not allow`);
  }
  return Object.fromEntries(headers.map(([header, value]) => [header.toLowerCase(), value]));
}

function resourceOf(env: Environment): ResourceAttributes {
  const named = env['OTEL_SERVICE_NAME'];
  return {
    'service.name': 'jobd',
    ...pairsOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '', 'OTEL_RESOURCE_ATTRIBUTES'),
    ...(named && { 'service.name': named }),
  };
}

/** `a=1,b=2`, with values in percent-encoding. */
function pairsOf(text: string, name: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=\s]+)\s*=([^]*)$/.exec(pair.trim()) ?? [];
      try {
        if (key !== '') return [key, decodeURIComponent(value.trim())];
      } catch {
        // said below
      }
      throw new Unusable(`${name} must be like name=value,name=value, in percent-encoding`);
    }),
  );
}

/** A run begins its trace, so a sampler that asks a parent does as the one for a trace without a parent. */
function ratioOf(env: Environment): number {
  const sampler = (env['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on').replace(
    /^parentbased_/,
    '',
  );
  if (sampler === 'always_on') return 1;
  if (sampler === 'always_off') return 0;
  const given = env['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1';
  const ratio = Number(given);
  if (sampler === 'traceidratio' && ratio >= 0 && ratio <= 1) return ratio;
  if (sampler === 'traceidratio') {
    throw new Unusable('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  throw new Unusable('OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio');
}
