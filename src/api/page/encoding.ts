/** Which encoding of a compressed file a client gets (RFC 9110 section 12.5.3). */

/** The encodings that files are kept in, the smallest first. */
const kept = ['br', 'gzip'] as const;

export type Encoding = (typeof kept)[number] | 'identity';

/** The first kept encoding that the header allows; the file as it is if there is none. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const weights = new Map(
    (accepted ?? '').split(',').map((item) => {
      const [name = '', ...parameters] = item.toLowerCase().split(';');
      const weight = parameters.map((one) => /^\s*q=(.*)$/.exec(one)?.[1]);
      return [name.trim(), Number(weight[0] ?? 1)];
    }),
  );
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  return kept.find((name) => weightOf(name) > 0) ?? 'identity';
}
