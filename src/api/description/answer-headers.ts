/** Headers of answers, as the API description contains them. Those of many answers are written once. */

/** A header, or a reference to one of `sharedHeaders`. */
export type Header = DescribedHeader | { $ref: string };

export interface DescribedHeader {
  description: string;
  required: boolean;
  schema: { type: string; format?: string };
  example?: string | number;
}

export type Headers = Record<string, Header>;

export const refPrefix = '#/components/headers/';

/** A header that an answer always has. */
export function header(description: string, more: Partial<DescribedHeader> = {}): DescribedHeader {
  return { description, required: true, schema: { type: 'string' }, ...more };
}

export const sharedHeaders = {
  Location: header('Where the object is: an absolute URL.', {
    schema: { type: 'string', format: 'uri' },
  }),
  RateLimit: header(
    'What is left of the limit that counted this request: `r` more requests now, and further ones in `t` seconds.',
    { example: '"key";r=119;t=60' },
  ),
  'RateLimit-Policy': header('That limit: `q` requests in any `w` seconds.', {
    example: '"key";q=120;w=60',
  }),
  'Retry-After': header('Seconds to wait before trying again, mostly 60.', {
    schema: { type: 'integer' },
    example: 60,
  }),
  'WWW-Authenticate': header('`Bearer`.', { example: 'Bearer' }),
} as const;

type Shared = keyof typeof sharedHeaders;

/** References to these headers. */
function shared(...names: Shared[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${refPrefix}${name}` }]));
}

const rate = shared('RateLimit', 'RateLimit-Policy');

/** What a successful answer has: a place if it created something, and limits if the request needs a key. */
export function successHeaders(status: string, isOpen: boolean): Headers {
  const isCreation = status === '201' || status === '202';
  return { ...(isCreation && shared('Location')), ...(!isOpen && rate) };
}

/** What a refusal has. */
export function failureHeaders(status: string): Headers {
  if (status === '401') return shared('WWW-Authenticate');
  return status === '429' ? { ...shared('Retry-After'), ...rate } : {};
}
