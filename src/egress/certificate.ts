/** Why a certificate is refused, in words that say what to do. What the certificate says is from outside: it is shown in part, in plain characters. */

import type { X509Certificate } from 'node:crypto';

const addIt =
  'to trust it, add it to the authorities of the machine that runs jobd, and restart jobd';

/** The words for a refusal by its code; null for a code that is not about a certificate. `now`: epoch milliseconds. */
export function refusalOf(code: string, certificate: X509Certificate, now: number): string | null {
  const words = refusals.get(code);
  return words === undefined ? null : words(certificate, now);
}

type Words = (certificate: X509Certificate, now: number) => string;

const ofUnknownAuthority: Words = (certificate) =>
  `the certificate is from an authority that jobd does not know, ${authorityOf(certificate)}: ${addIt}`;

const refusals = new Map<string, Words>([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', () => `the certificate is self-signed: ${addIt}`],
  ['SELF_SIGNED_CERT_IN_CHAIN', ofUnknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', ofUnknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', ofUnknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ofMissingIssuer],
  [
    'CERT_HAS_EXPIRED',
    ({ validToDate }, now) =>
      validToDate.getTime() < now
        ? `the certificate has expired on ${dayOf(validToDate)}`
        : 'a certificate in the chain has expired, though not that of the server itself',
  ],
  [
    'CERT_NOT_YET_VALID',
    ({ validFromDate }, now) =>
      validFromDate.getTime() > now
        ? `the certificate is not valid before ${dayOf(validFromDate)}`
        : 'a certificate in the chain is not valid yet, though that of the server itself is',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    (certificate) => `the certificate is for ${namesOf(certificate)}`,
  ],
]);

/**
 * The server sent its own certificate alone. One that says where its issuer is found (RFC 5280, section 4.2.2.1) is mostly
 * from a public authority, whose intermediate certificate the server has to send too.
 */
function ofMissingIssuer(certificate: X509Certificate, now: number): string {
  if (certificate.infoAccess?.includes('CA Issuers') !== true) {
    return ofUnknownAuthority(certificate, now);
  }
  const issuer = authorityOf(certificate);
  return `the server does not send the certificate of its issuer, ${issuer}: complete its chain, or if the authority is your own, add that to those of the machine that runs jobd`;
}

/** More than any chain has. */
const mostIssuers = 10;

/** The issuer of the last certificate that the server sent. */
function authorityOf(certificate: X509Certificate): string {
  let last = certificate;
  for (let count = 0; count < mostIssuers; count += 1) {
    const next = last.issuerCertificate;
    if (next === undefined || next.fingerprint256 === last.fingerprint256) break;
    last = next;
  }
  // Lines such as `O=Example Ltd`.
  const parts = last.issuer.split('\n');
  const named = parts.find((part) => part.startsWith('CN=')) ?? parts.at(-1) ?? '';
  return plain(named.replace(/^[A-Z]{1,20}=/, '')) || 'without a name';
}

const mostNames = 3;

function namesOf({ subjectAltName = '', subject }: X509Certificate): string {
  const listed = subjectAltName
    .split(', ')
    .filter((name) => /^(?:DNS|IP Address):/.test(name))
    .map((name) => plain(name.replace(/^[^:]*:/, '')));
  const common = /(?:^|\n)CN=(.*)/.exec(subject ?? '')?.[1];
  const names = listed.length > 0 ? listed : [plain(common ?? '')];
  const shown = names.slice(0, mostNames).join(', ');
  const more = names.length - mostNames;
  if (shown === '') return 'no host';
  return `other hosts: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Letters, digits and what names and companies have between them; no link, no markup, nothing that ends a line. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,*:&'_-]/gu, '').slice(0, 80);
}

function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'an unknown day' : date.toISOString().slice(0, 10);
}
