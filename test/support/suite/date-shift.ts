/** Loaded before tests: their process, and no other, believes that it is `JOBD_TEST_NOW` at the start. */

const { JOBD_TEST_NOW: start = '' } = process.env;
const RealDate = globalThis.Date;
const aheadMs = RealDate.parse(start) - RealDate.now();

class ShiftedDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<DateConstructor>) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
