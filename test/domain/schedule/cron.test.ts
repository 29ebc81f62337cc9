import assert from 'node:assert/strict';
import test from 'node:test';
import { CronExpressionParser } from 'cron-parser';
import { JobdError } from '../../../src/domain/errors.ts';
import { parseCron } from '../../../src/domain/schedule/cron.ts';

/** Pairs with the same meaning: what a person may write, and its simplest form. */
const sameMeaning = [
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@Daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@Annually', '0 0 1 1 *'],
  ['*/61 * * * *', '0 * * * *'],
  ['5/90 * * * *', '5 * * * *'],
  ['0 */25 * * *', '0 */24 * * *'],
  ['0 0 */32 * *', '0 0 */31 * *'],
  ['0 0 1 */13 *', '0 0 1 1 *'],
  ['0 0 1-7 * */8', '0 0 1-7 * */7'],
  ['0 0 */100,1-7 * MON', '0 0 */31,1-7 * 1'],
  ['0 0 l * *', '0 0 L * *'],
  ['0 0 * * 5l', '0 0 * * 5L'],
  ['0 0 * * FRIl', '0 0 * * friL'],
  ['  5   4\t*  * * ', '5 4 * * *'],
  ['05 04 * * *', '5 4 * * *'],
  ['0 0 * jan,MAR-may *', '0 0 * 1,3,4,5 *'],
  ['0 0 * jan-dec/6 *', '0 0 * 1,7 *'],
  ['0 0 * * Mon-FRI', '0 0 * * 1,2,3,4,5'],
  ['0 0 * * 7', '0 0 * * 0'],
  ['0 0 * * 0,7', '0 0 * * 0'],
  ['0 0 * * 5-7', '0 0 * * 0,5,6'],
  ['0 0 * * fri-sun', '0 0 * * 0,5,6'],
  ['0 0 * * sun-tue', '0 0 * * 0,1,2'],
  ['0 0 * * sun-sun', '0 0 * * 0'],
  ['0 0 * * 1-5,3', '0 0 * * 1-5'],
  ['1,1,1 0 * * *', '1 0 * * *'],
  ['0-10,5-15 0 * * *', '0-15 0 * * *'],
  ['5/20 0 * * *', '5,25,45 0 * * *'],
  ['10-30/10 0 * * *', '10,20,30 0 * * *'],
  ['0 0 * * 7L', '0 0 * * sunL'],
  ['0 0 * * fri#2', '0 0 * * 5#2'],
  ['0 0 * * 7#1', '0 0 * * 0#1'],
] as const;

for (const [written, plain] of sameMeaning) {
  void test(`"${written}" means "${plain}"`, () => {
    assert.deepEqual(parseCron(written), parseCron(plain));
  });
}

/** Invalid expressions, and words that the message must contain. */
const refused: readonly [string, RegExp][] = [
  ['', /5 fields.*got 0/],
  ['   ', /5 fields.*got 0/],
  ['* * * *', /5 fields.*got 4/],
  ['0 * * * * *', /no seconds.*got 6/],
  ['0 0 * * * * 2030', /5 fields.*got 7/],
  ['@reboot', /@hourly @daily.*got "@reboot"/],
  ['@minutely', /one of @hourly/],
  ['@secondly', /one of @hourly/],
  ['@weekdays', /one of @hourly/],
  ['@weekends', /one of @hourly/],
  ['@every 5m', /one of @hourly.*interval.* 300 seconds \(--every 5m\)$/],
  ['@every 1h30m', /interval.* 5400 seconds \(--every 90m\)$/],
  ['rate(5 minutes)', /interval.* 300 seconds \(--every 5m\)$/],
  ['rate(1 day)', /interval.* 86400 seconds \(--every 1d\)$/],
  ['every minute', /interval.* 60 seconds \(--every 1m\)$/],
  ['cron(0 12 * * ? *)', /ends? with a year: write 0 12 \* \* \*$/],
  ['cron(0 9 ? * MON-FRI *)', /write 0 9 \* \* MON-FRI$/],
  ['0 0 12 * * ?', /got 6; it seems to begin with seconds: write 0 12 \* \* \*$/],
  ['0 0/5 * * * ? *', /begin with seconds: write 0\/5 \* \* \* \*$/],
  ['0 0 12 ? * 2', /counts the days of the week from 1 for Sunday/],
  ['* * * * * *', /begin with seconds: write \* \* \* \* \*$/],
  ['CRON_TZ=Asia/Tokyo 0 9 * * *', /set timezone to Asia\/Tokyo$/],
  ['TZ=UTC 0 9 * * *', /set timezone to UTC$/],
  ['0 9 * * * Europe/Paris', /set timezone to Europe\/Paris$/],
  ['*-*-* 04:00:00', /systemd: write 0 4 \* \* \*$/],
  ['Mon..Fri *-*-* 09:30', /systemd: write 30 9 \* \* mon-fri$/],
  ['Mon *-*-1..7 05:30', /systemd, not cron$/],
  ['daily', /got 1; write @daily$/],
  ['0 0 * * lun', /did you mean mon\?/],
  ['0 0 * * lun-ven', /did you mean mon-fri\?/],
  ['0 0 * * don', /did you mean thu\?/],
  ['0 9 * * 1–5', /write a plain -/],
  ['0~59 * * * *', /no value by chance/],
  ['@daily x', /one of @hourly/],
  ['toString', /5 fields.*got 1/],
  ['60 * * * *', /minute field takes 0 to 59, got "60"/],
  ['-1 * * * *', /minute field takes 0 to 59/],
  ['* 24 * * *', /hour field takes 0 to 23, got "24"/],
  ['* * 0 * *', /day-of-month field takes 1 to 31.*got "0"/],
  ['* * 32 * *', /day-of-month field.*got "32"/],
  ['* * * 0 *', /month field takes 1 to 12.*got "0"/],
  ['* * * 13 *', /month field.*got "13"/],
  ['* * * * 8', /day-of-week field takes 0 to 7.*got "8"/],
  ['100 * * * *', /minute field/],
  ['1.5 * * * *', /minute field/],
  ['1e1 * * * *', /minute field/],
  ['0x1 * * * *', /minute field/],
  ['+5 * * * *', /minute field/],
  ['\u0665 * * * *', /minute field/],
  ['0\n * * * *', /minute field/],
  ['0\u00a00 * * * *', /5 fields|minute field/],
  ['? * * * *', /minute field.*write \* instead of \?/],
  ['0 0 ? * 1', /day-of-month field.*write \* instead/],
  ['H * * * *', /minute field.*H and W/],
  ['H(0-5) * * * *', /minute field.*H and W/],
  ['0 0 15W * *', /day-of-month field.*H and W/],
  ['0 0 LW * *', /day-of-month field.*H and W/],
  ['L * * * *', /minute field/],
  ['0 L * * *', /hour field/],
  ['0 0 * L *', /month field/],
  ['0 0 * * L', /day-of-week field.*5L/],
  ['0 0 5L * *', /day-of-month field/],
  ['0 0 L-3 * *', /day-of-month field/],
  ['0 0 * * 1-5L', /day-of-week field/],
  ['0 0 * * 5L-6', /day-of-week field/],
  ['0 0 * * 8L', /day-of-week field/],
  ['0 0 * * 5#0', /day-of-week field/],
  ['0 0 * * 5#6', /day-of-week field/],
  ['0 0 * * 5#', /day-of-week field/],
  ['0 0 * * 5#1.5', /day-of-week field/],
  ['0 0 * * *#2', /day-of-week field/],
  ['0 0 * * 8#1', /day-of-week field/],
  ['0 0 5#2 * *', /day-of-month field/],
  ['0 22-2 * * *', /hour field.*write 22-23,0-2.*got "22-2"/],
  ['0 0 * * 5-1', /day-of-week field.*write 5-7,0-1/],
  ['0 0 * * fri-mon', /day-of-week field.*upwards/],
  ['0 0 * nov-feb *', /month field.*upwards/],
  ['0 0 * * foo', /day-of-week field.*got "foo"/],
  ['0 0 * * monday', /day-of-week field/],
  ['0 0 * janfeb *', /month field/],
  ['0 0 * * jan', /day-of-week field/],
  ['jan * * * *', /minute field/],
  ['1,,2 * * * *', /minute field has an empty list item/],
  [',1 * * * *', /empty list item/],
  ['1, * * * *', /empty list item/],
  ['*/0 * * * *', /step in the minute field must be at least 1, got "\*\/0"/],
  ['70/100 * * * *', /takes 0 to 59, got "70\/100"/],
  ['5/0 * * * *', /step in the minute field/],
  ['*/ * * * *', /minute field/],
  ['*/x * * * *', /minute field/],
  ['*/2/3 * * * *', /minute field/],
  ['/5 * * * *', /minute field/],
  ['0 0 * * */mon', /day-of-week field/],
  ['1-2-3 * * * *', /minute field/],
  ['1- * * * *', /minute field/],
  ['*-5 * * * *', /minute field/],
  ['5* * * * *', /minute field/],
  ['** * * * *', /minute field/],
  ['0 0 30 2 *', /never fires/],
  ['0 0 31 4,6,9,11 *', /never fires/],
  ['0 0 */29 2 1#5', /never fires/],
  [`${'0,'.repeat(99)}0 * * * *`, /at most 200 characters, got 207/],
];

for (const [cronExpr, sentence] of refused) {
  void test(`${JSON.stringify(cronExpr.slice(0, 40))} is refused with the reason`, () => {
    assert.throws(
      () => parseCron(cronExpr),
      (error) =>
        error instanceof JobdError &&
        error.code === 'invalid_input' &&
        sentence.test(error.message),
    );
  });
}

void test('a refusal is short for any input', () => {
  for (const cronExpr of ['x'.repeat(100_000), `${'9'.repeat(190)} * * *`, '\u0000'.repeat(200)]) {
    assert.throws(
      () => parseCron(cronExpr),
      (error) => error instanceof JobdError && error.message.length < 600,
    );
  }
});

void test('the longest expressions are read', () => {
  const longest = [
    `${Array.from({ length: 60 }, (_, minute) => minute).join(',')} * * * *`,
    `${'*/1,'.repeat(47)}* * * * *`,
    `* * * * ${'0#1,'.repeat(47)}1`,
    `0-59/1${',0-59/1'.repeat(26)} * * * *`,
  ];
  for (const cronExpr of longest) assert.doesNotThrow(() => parseCron(cronExpr), cronExpr);
});

void test('only a schedule without a star in minute and hour is fixed', () => {
  const fixed = ['0 0 * * *', '0-59 0-23 * * *', '0/5 1 * * *', '@daily', '@yearly'];
  const floating = [
    '* 0 * * *',
    '0 * * * *',
    '*/5 1 * * *',
    '0 */2 * * *',
    '0,*/9 1 * * *',
    '@hourly',
  ];
  for (const cronExpr of fixed) assert.equal(parseCron(cronExpr).fixed, true, cronExpr);
  for (const cronExpr of floating) assert.equal(parseCron(cronExpr).fixed, false, cronExpr);
});

test('long lists cost little: numbers need no cron-parser, and another item needs it once', (t) => {
  const parse = t.mock.method(CronExpressionParser, 'parse');
  for (let minute = 0; minute < 30; minute += 1) {
    const minutes = Array.from({ length: 20 }, (_, index) => `${minute}-${30 + index}/7`);
    parseCron(`${minutes.join(',')} 1,2,3 */5 1-12/5 0-7`);
    parseCron(`${minute} 6 1,1,1 ${'dec,'.repeat(30)}nov sat,sat-sun/2,6#4`);
  }
  assert.equal(parse.mock.callCount(), 5);
});
