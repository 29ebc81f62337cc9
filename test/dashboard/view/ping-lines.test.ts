import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pingLines } from '../../../src/dashboard/view/ping-lines.ts';

const url = 'https://jobs.example.com/ping/9b838ddd';
const lines = (cronExpr: string | null) =>
  pingLines(
    { scheduleType: cronExpr === null ? 'period' : 'cron', cronExpr, timezone: 'Asia/Tokyo' },
    url,
  );

test('the line for a crontab has the schedule of the monitor, and says in which zone it is', () => {
  assert.deepEqual(lines('30 2 * * *')[0], {
    title: 'In the crontab of a machine in Asia/Tokyo',
    line: `30 2 * * * /usr/local/bin/jobd ping ${url} -- /path/to/command`,
  });
});

test('a schedule that a crontab does not have is left out', () => {
  for (const cronExpr of [null, '0 9 L * *', '0 9 * * 1#2']) {
    assert.deepEqual(lines(cronExpr)[0], {
      title: 'With the jobd command',
      line: `/usr/local/bin/jobd ping ${url} -- /path/to/command`,
    });
  }
});

test('without jobd a shell reports the start and the exit code', () => {
  const curl = 'curl -fsS -m 10 --retry 3 -o /dev/null';
  assert.equal(lines(null)[1]?.line, `${curl} ${url}/start; /path/to/command; ${curl} ${url}/$?`);
  assert.equal(lines(null)[2]?.line, `/path/to/command && ${curl} ${url}`);
});
