/** When a job is due. */
export type Schedule =
  | { scheduleType: 'cron'; cronExpr: string; timezone: string }
  | {
      scheduleType: 'period';
      periodSeconds: number;
      /** Due times are `anchorAt + k × periodSeconds`, k ≥ 1; epoch milliseconds. */
      anchorAt: number;
    };
