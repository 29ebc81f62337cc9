/** Certificate chains that are expensive to verify, built byte by byte (X.509, RFC 5280). */
import { randomBytes, sign, type KeyObject } from 'node:crypto';

/** Signed with SHA-256 by RSA, and by ECDSA. */
const byRsa = sequence(oid('2a864886f70d01010b'), tlv(5));
const byEcdsa = sequence(oid('2a8648ce3d040302'));
const isAuthority = sequence(oid('551d13'), tlv(1, [0xff]), tlv(4, sequence(tlv(1, [0xff]))));

interface Certificate {
  subject: string;
  issuer: string;
  /** The public key, as SubjectPublicKeyInfo. */
  publicKey: Buffer;
  /** Signs the rest. */
  signature: (rest: Buffer) => Buffer;
  algorithm?: Buffer;
  extension?: Buffer;
}

/**
 * A server certificate and its issuers, each with an RSA key of 3072 bits and an exponent of the
 * same length: 6 ms to verify one. As many as fit into `mostBytes`.
 */
export function absurdChain(serverKey: Buffer, mostBytes: number): string {
  const bits = 3072;
  const signature = (): Buffer => randomBytes(bits / 8).fill(0, 0, 1);
  const chain = [certificate({ subject: 'leaf', issuer: '0', publicKey: serverKey, signature })];
  for (let size = 2_000, number = 0; size < mostBytes - 2_000; number++) {
    const names = { subject: String(number), issuer: String(number + 1) };
    const next = certificate({ ...names, publicKey: rsaKey(bits), signature });
    chain.push(next);
    size += next.length;
  }
  return chain.map(pem).join('');
}

/** A self-signed certificate. */
export function selfSigned(privateKey: KeyObject, publicKey: KeyObject): string {
  return pem(
    certificate({
      subject: 'localhost',
      issuer: 'localhost',
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      signature: (rest) => sign('sha256', rest, privateKey),
      algorithm: publicKey.asymmetricKeyType === 'ec' ? byEcdsa : byRsa,
    }),
  );
}

/**
 * Diffie-Hellman parameters with a modulus of this many bits, as PEM; it is not a prime, but nobody
 * checks.
 */
export function absurdModulus(bits: number): string {
  const der = sequence(integer(oddNumber(bits)), integer(Buffer.from([2])));
  return `-----BEGIN DH PARAMETERS-----\n${base64(der)}\n-----END DH PARAMETERS-----\n`;
}

function certificate({
  subject,
  issuer,
  publicKey,
  signature,
  algorithm = byRsa,
  extension = isAuthority,
}: Certificate): Buffer {
  const rest = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(randomBytes(8).fill(1, 0, 1)),
    algorithm,
    name(issuer),
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    name(subject),
    publicKey,
    tlv(0xa3, sequence(extension)),
  );
  return sequence(rest, algorithm, tlv(3, [0], signature(rest)));
}

function rsaKey(bits: number): Buffer {
  const exponent = Buffer.alloc(bits / 8, 0xff).fill(0x7f, 0, 1);
  const key = sequence(integer(oddNumber(bits)), integer(exponent));
  return sequence(sequence(oid('2a864886f70d010101'), tlv(5)), tlv(3, [0], key));
}

function oddNumber(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = 0xff;
  bytes[bytes.length - 1] = 0xff;
  return bytes;
}

function name(text: string): Buffer {
  return sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(text)))));
}

function time(text: string): Buffer {
  return tlv(0x18, Buffer.from(text));
}

function integer(bytes: Buffer): Buffer {
  return (bytes[0] ?? 0) < 0x80 ? tlv(2, bytes) : tlv(2, [0], bytes);
}

function oid(hex: string): Buffer {
  return tlv(6, Buffer.from(hex, 'hex'));
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function tlv(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = value.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function pem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${base64(der)}\n-----END CERTIFICATE-----\n`;
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trim();
}
