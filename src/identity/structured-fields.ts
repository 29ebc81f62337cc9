/** The part of structured fields (RFC 8941) that signatures of requests need: read strictly, or not at all. */

/** The one signature of a request. */
export interface ReadSignature {
  /** The covered components, in order. */
  names: string[];
  /** What was written after the label, byte for byte. */
  params: string;
  parameters: Partial<Record<string, string | number>>;
  signature: Uint8Array;
}

const text = String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`;
const list = new RegExp(
  String.raw`^([a-z*][a-z0-9_.*-]*)=(\(((?:${text}(?: ${text})*)?)\)((?:;[a-z*][a-z0-9_.*-]*=(?:${text}|-?\d{1,15}))*))$`,
);

/** Reads `Signature-Input` and `Signature` with one signature; null if they are anything else, or a component is there twice. */
export function readSignature(input: string, signature: string): ReadSignature | null {
  const [, label, params, inner = '', tail = ''] = list.exec(input) ?? [];
  const [, named, base64] =
    /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]+={0,2}):$/.exec(signature) ?? [];
  if (params === undefined || base64 === undefined || named !== label) return null;
  const names = Array.from(inner.matchAll(new RegExp(text, 'g')), ([found]) => unquoted(found));
  if (new Set(names).size < names.length) return null;
  const written = tail.matchAll(new RegExp(String.raw`;([^=]+)=(${text}|-?\d+)`, 'g'));
  const parameters = Object.fromEntries(
    Array.from(written, ([, name = '', value = '']) => [
      name,
      value.startsWith('"') ? unquoted(value) : Number(value),
    ]),
  );
  return { names, params, parameters, signature: Buffer.from(base64, 'base64') };
}

function unquoted(written: string): string {
  return written.slice(1, -1).replace(/\\(["\\])/g, '$1');
}
