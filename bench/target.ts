/** The target of the calls as callers see it: its names, and the certificates for them. */

/** The value of `--allow-target` with which the target may be called. */
export const sinkTarget = '127.0.0.1/32:*';

/** The origin that call `number` goes to: the target's own, or one of `hosts` names below storm.localhost in turn. */
export function originOf(origin: string, hosts: number, number: number): string {
  if (hosts === 0) return origin;
  const { protocol, port } = new URL(origin);
  return `${protocol}//h${number % hosts}.storm.localhost:${port}`;
}

// The certificates are by a made-up authority and protect nothing. As on the web, a server sends its own
// certificate and that of an intermediate authority.

/** The authority to trust. */
export const authority = `-----BEGIN CERTIFICATE-----
MIIBhDCCASqgAwIBAgIUbSZiRZuOYjxBscqdqopXL4hm/pgwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUam9iZCBiZW5jaCBhdXRob3JpdHkwIBcNMjYxMTIxMjAyOTU1
WhgPMjEyNjEwMjgyMDI5NTVaMB8xHTAbBgNVBAMMFGpvYmQgYmVuY2ggYXV0aG9y
aXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAED7/jHesu7nNfxVDI9SaYdqPm
+djfq1hbtCZdlpVJxowQtQjTqIVNggf7kDFpfJh+F6ydOe6ydtZ49NxaTJ33q6NC
MEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFKkc
ZtAiUaUs3273+Onchs5p+LbsMAoGCCqGSM49BAMCA0gAMEUCIBah89YxNPT3ng2x
96pZGqXWaH6NrIpR2eIS2KmXRZ5vAiEArPXExPup8xMGQnS0/QwKN8IY0JOj1l8C
u1Zzltto0Ko=
-----END CERTIFICATE-----
`;

const intermediate = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU6gAwIBAgIUduk9pQtT6NYzVLBF0xtkuxllSQgwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUam9iZCBiZW5jaCBhdXRob3JpdHkwIBcNMjYxMTIxMjAyOTU1
WhgPMjEyNjEwMjgyMDI5NTVaMCIxIDAeBgNVBAMMF2pvYmQgYmVuY2ggaW50ZXJt
ZWRpYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEWCm5NZPtlsOrtzMlN9S
i7tmGqIWOvy56QyVxuNS0S4YI2qJLHqj5+/izMwce6Ji5BkVq0v10fe0npV1mYLO
8KNjMGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYE
FMnYE2V2FcmBJLsNI+Lh3BFxxnsnMB8GA1UdIwQYMBaAFKkcZtAiUaUs3273+Onc
hs5p+LbsMAoGCCqGSM49BAMCA0cAMEQCIHfxfR7ov6VR5Ckxl9oymSSL7llcsQmu
qwHc0B622gC9AiAU5H1rjsBWNqVBz4F8j0wKs4BzfHIdYGl4eWdZk9M9NQ==
-----END CERTIFICATE-----
`;

/** The kind of a server's key: ECDSA signs faster, RSA is verified faster. */
export type KeyKind = 'ecdsa' | 'rsa';

/** P-256 and RSA with 2,048 bits. Both certificates are for 127.0.0.1 and every name below storm.localhost. */
export const servers: Readonly<Record<KeyKind, { key: string; cert: string }>> = {
  ecdsa: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGL7cmbajSl2MzvEg
RCPtD+cV35FFcAqiG/Sd6MleEbWhRANCAAShKxNh7S5S4x1nxEDF2oLnr9c8rfHd
ew/nyz1d/h04T5fPR5Ptv4kst5tD/Fghfv8AV0drpajldzESOdxqG9uX
-----END PRIVATE KEY-----
`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBpjCCAUygAwIBAgIUAoCC3Msb/EMFAWvknkKcmpS/QG8wCgYIKoZIzj0EAwIw
IjEgMB4GA1UEAwwXam9iZCBiZW5jaCBpbnRlcm1lZGlhdGUwIBcNMjYxMTIxMjAy
OTU2WhgPMjEyNjEwMjgyMDI5NTZaMBoxGDAWBgNVBAMMD3N0b3JtLmxvY2FsaG9z
dDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKErE2HtLlLjHWfEQMXaguev1zyt
8d17D+fLPV3+HThPl89Hk+2/iSy3m0P8WCF+/wBXR2ulqOV3MRI53Gob25ejZjBk
MCIGA1UdEQQbMBmCESouc3Rvcm0ubG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBSy
nB36mw9WdlAT4K5YyFu/e8GErTAfBgNVHSMEGDAWgBTJ2BNldhXJgSS7DSPi4dwR
ccZ7JzAKBggqhkjOPQQDAgNIADBFAiEAnfKZ9DxymfoxOuK/xXQFZpT68cOyC0ld
h0IUDXiR3tcCIHoTTxSTDZ/l5/lQL6uQRcz2HlLC46pPo8qQfeAjmIhO
-----END CERTIFICATE-----
${intermediate}`,
  },
  rsa: {
    key: `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCbZVBELrTgIteh
BlQKtdWjN12QeLwJVd2MogTzCYIUd+F2Pj6WF8nmgb4FTj8SAiupM8uT1ZTD0V4H
RHwrFRqUaFkBBU8KuuZmrnbmE8Pe5cM/hlBn855JjwPcD+vOjI6wPmcrITLv9K5P
3IBxJpuHB2jHfm4sUrHv5LG9M91gav2LbxtDIWSHT0mEmbAm0xq9XniA5EzwwMI/
T1QIMRbOsepuevUiw8oxCKUFcwz1RgybujQ+C1YivOamHeOy3Vr6oNXl4aYbAhOV
E9ClXqTxFTREgQSiZ6YWEkAKqz3HVklb7O9vpGX42SUEfa1HWFACNUrNYEYqeNdW
e/mKynWPAgMBAAECgf8VTReqVQcSLVj8AIRlOvXctNYT0Gq4sfkz06H2p5amDLkY
AglQdy5l2ts30hjlxVDyMYlhWHsiK+peXCxCMN8rpRxr6KZXppROhLtIZjm3PKVP
+b0nDuSnVG8XHsSjC56PEhWrWZDet9AjKYWP0j3chD2oyBDDIhfSjcZ4PF5yvmUd
6XjTjngmMXJgxiTzIFLJZiBnz+CVsHnNK4/fQ7RIyETrLF9xejgDsQR+FZj8xxrV
plt2XiLTO8AeuLD9pNviCvQVor4+y4F4qSYl4HlX3vDIUt9C7hRNYf9SG8/n4B3m
GLMh/ZTLdfS2xsJ59iSdesduhPM2aXmAq+tcrsECgYEA06T8vRFyaZGm2BcqzPhL
q9hdn9F5zPtNgXAuRk0eyI5r1IceEtybQDdZE6IbzP3av/4ZaIQFvoUx8tkE7zUY
6mPAPMcREFhtc7ZSgfYjvmaJGnXZe2YIWf+TasAJF8ZLHuDBfwee+nAAJACD6AUk
tEMfVCC057ylT5C8/CrjO0ECgYEAu/aBjZrjK1J5Hp/tXoYSjb+4oUzE43sWYVuL
Qf7jwc0ja6cVg/kf0SbS7xCuPDPulv0SbRdMRsHpN2cHVuTAycmzwk/DO1FFEvmP
Mqe/DeTZn8ozIjf3swKuCr5wUHzP6EBFqK/ZP/w+Xajn8wQBpe0UT4OsjrPZuZYE
AY0mjM8CgYEAk6xrLQEfc8nNQLnpg1s8cYtmyDzBX+V5DvfXUfY9pHK7im887KxB
J213GdviygXWvF/wGp0D5QvK7ke+yami2OkBGWdM4LrSpApzR3sXNaMVxwCz3wYy
jZlmovWbYptZjxID8T7ADr5XWseBQkNUePLcyTaJA6j9L6cuNkU2iAECgYEAs0Li
xdFtTHjoiLuP37FQap3pkPQtZqKScqGjC3rzbnadjGMakvX6UTeMvnGTKlmA98E+
XIp2tZjkOnFpP4cFEq3qYaw+jwjwLquR1YbEIJUctFdcMwtbkf9BS3/aj/ipNGBv
zvR+5pZESID5TfyJMd0MnNUAskx2npejFHOwy2MCgYEAsUNm9y9LvgmaXEih+OCJ
9gonFRGT70gT5XuRj57IHZ3adeg2sPHeyEk7bmgMsCzD1ScSnfh6oTNTNsCF3Q9s
YtvOABPIHwze+BGWx+XYjWuQBwORhpAhZkjFYa9xsGGXx+BN3QDMLnr6Kjhsc6K9
lCcBpJ4O0ztHmMbXMvwUj8o=
-----END PRIVATE KEY-----
`,
    cert: `-----BEGIN CERTIFICATE-----
MIICcTCCAhegAwIBAgIUPsmg1xy8/F+Q1MO4dLNSUfzmF5gwCgYIKoZIzj0EAwIw
IjEgMB4GA1UEAwwXam9iZCBiZW5jaCBpbnRlcm1lZGlhdGUwIBcNMjYxMTIxMjAy
OTU2WhgPMjEyNjEwMjgyMDI5NTZaMBoxGDAWBgNVBAMMD3N0b3JtLmxvY2FsaG9z
dDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAJtlUEQutOAi16EGVAq1
1aM3XZB4vAlV3YyiBPMJghR34XY+PpYXyeaBvgVOPxICK6kzy5PVlMPRXgdEfCsV
GpRoWQEFTwq65mauduYTw97lwz+GUGfznkmPA9wP686MjrA+ZyshMu/0rk/cgHEm
m4cHaMd+bixSse/ksb0z3WBq/YtvG0MhZIdPSYSZsCbTGr1eeIDkTPDAwj9PVAgx
Fs6x6m569SLDyjEIpQVzDPVGDJu6ND4LViK85qYd47LdWvqg1eXhphsCE5UT0KVe
pPEVNESBBKJnphYSQAqrPcdWSVvs72+kZfjZJQR9rUdYUAI1Ss1gRip411Z7+YrK
dY8CAwEAAaNmMGQwIgYDVR0RBBswGYIRKi5zdG9ybS5sb2NhbGhvc3SHBH8AAAEw
HQYDVR0OBBYEFIG7abYSx0ZSs36+zPIW1Nf4rBvVMB8GA1UdIwQYMBaAFMnYE2V2
FcmBJLsNI+Lh3BFxxnsnMAoGCCqGSM49BAMCA0gAMEUCICwI1GOvaIbxRHTe8hoQ
ctA/2TQHsZbfIsYcEprlmPYdAiEAvOAkxFIfa9Od3dWDrmaJzvIMAmh5HaTQ6X5/
JIqP6Rw=
-----END CERTIFICATE-----
${intermediate}`,
  },
};
