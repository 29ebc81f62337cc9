/** When a job is due. */
export type Schedule = CronSchedule | PeriodSchedule;

export interface CronSchedule {
  scheduleType: 'cron';
  cronExpr: string;
  timezone: string;
}

export interface PeriodSchedule {
  scheduleType: 'period';
  periodSeconds: number;
  /**
   * Epoch milliseconds. Due times are `anchorAt + k × periodSeconds` for every whole k: they are
   * there before the anchor too, as the wall clock may have been ahead when it was set.
   */
  anchorAt: number;
}
