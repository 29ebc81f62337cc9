/** The URL of a database as the programs of PostgreSQL take it. */

/**
 * Without `pool`, which only jobd knows. libpq needs to be told that the certificates of the system may sign that of the server;
 * jobd trusts those without `sslrootcert`.
 */
export function libpqUrl(url: string): string {
  const [place = '', query = ''] = url.split('?', 2);
  const parameters = query.split('&').filter((each) => each !== '' && !each.startsWith('pool='));
  const isNamed = parameters.some((each) => each.startsWith('sslrootcert='));
  if (parameters.includes('sslmode=verify-full') && !isNamed) {
    parameters.push('sslrootcert=system');
  }
  return parameters.length === 0 ? place : `${place}?${parameters.join('&')}`;
}
