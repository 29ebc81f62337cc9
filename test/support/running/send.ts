/** Sends a request with these headers; `body` goes as JSON. */
export async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  if (body === undefined) return await fetch(url, { method, headers });
  const json = { ...headers, 'content-type': 'application/json' };
  return await fetch(url, { method, headers: json, body: JSON.stringify(body) });
}

/** The header of an API key. */
export const bearer = (key: string): { authorization: string } => ({
  authorization: `Bearer ${key}`,
});
