/** What the targets of a demo answer. */

/** JSON with a number that a double cannot hold (2^53 + 1), and one with more digits than needed. */
export const rates =
  '{"id":9007199254740993,"base":"EUR","rates":{"USD":1.0842,"JPY":163.100,"CHF":0.9391},"stale":false,"next":null}';

export const html = `<!doctype html>
<html lang="en">
  <head><title>Weekly report</title></head>
  <body>
    <h1>Weekly report</h1>
    <p>1,204 orders, 31 returns. <a href="/reports/weekly.csv">Download</a></p>
    <script>console.log("this is text here")</script>
  </body>
</html>
`;

export const backupLog = `dump of 14 tables begins
  customers        48,201 rows
  orders          310,552 rows
  order_lines   1,204,118 rows
dump of 14 tables ends
stored as nightly.dump.zst, 412 MB, sha256 7c1e…9a04
`;

export const certificates = `shop.example.com      valid for 61 days, kept
api.example.com       valid for 12 days, renewed
mail.example.com      valid for 61 days, kept
`;

export const badGateway = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx</center>
</body>
</html>
`;

/** Lines of JSON, far more than a preview holds. */
export const orders = Array.from({ length: 200 }, (_, index) =>
  JSON.stringify({ order: 482_000 + index, customer: `c-${(index * 7919) % 10_000}`, total: 49.9 }),
).join('\n');

/** Text in several scripts, with a tabulator and characters that change the direction of writing. */
export const letters = `geprüft: 1.204 Überweisungen\tStand: ok
القاهرة: ٣ \u202Eok\u202C
東京: 12 件
`;
