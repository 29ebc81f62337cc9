/** TCP read into one buffer for all connections of a thread: Node would make one of 64 KiB for each read. */
import { Socket } from 'node:net';

const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** A socket that hands over what it reads at once, and emits no `data`. */
export class TcpSocket extends Socket {
  /** Gets what came, which is valid only until it returns. Returns whether to read on. */
  onBytes: ((bytes: Buffer) => boolean) | null = null;

  constructor() {
    // `this` is not known yet.
    let receive: ((length: number) => boolean) | null = null;
    super({ onread: { buffer: shared, callback: (length) => receive?.(length) ?? true } });
    receive = (length) => {
      if (this.onBytes !== null) return this.onBytes(shared.subarray(0, length));
      this.destroy();
      return false;
    };
  }
}
