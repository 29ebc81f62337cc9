/** How a task pings its monitor: lines to paste. */

import type { Monitor } from '../../api/monitors/contract.ts';

/** A line and where it belongs. */
export interface PingLine {
  title: string;
  line: string;
}

const command = '/path/to/command';

/** The lines for a monitor, the best one first. */
export function pingLines(
  { scheduleType, cronExpr, timezone }: Pick<Monitor, 'scheduleType' | 'cronExpr' | 'timezone'>,
  url: string,
): PingLine[] {
  const wrapped = `/usr/local/bin/jobd ping ${url} -- ${command}`;
  const curl = 'curl -fsS -m 10 --retry 3 -o /dev/null';
  const isForCrontab = scheduleType === 'cron' && cronExpr !== null && !/[L#]/.test(cronExpr);
  return [
    isForCrontab
      ? { title: `In the crontab of a machine in ${timezone}`, line: `${cronExpr} ${wrapped}` }
      : { title: 'With the jobd command', line: wrapped },
    {
      title: 'In a shell, without jobd on that machine',
      line: `${curl} ${url}/start; ${command}; ${curl} ${url}/$?`,
    },
    { title: 'Only a success', line: `${command} && ${curl} ${url}` },
  ];
}
