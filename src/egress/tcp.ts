/** TCP without TLS on it, read into one buffer for all connections of a thread: Node would make one of 64 KiB for each read. */
import { Socket } from 'node:net';

const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** A socket that hands over what it reads at once, and emits no `data`. */
export class TcpSocket extends Socket {
  /** Gets what came. The bytes are valid only until it returns. */
  onBytes: ((bytes: Buffer) => void) | null = null;

  constructor() {
    // `this` is not known yet.
    let receive: ((length: number) => void) | null = null;
    super({
      onread: {
        buffer: shared,
        callback: (length) => {
          receive?.(length);
          return true;
        },
      },
    });
    receive = (length) => {
      if (this.onBytes === null) this.destroy();
      else this.onBytes(shared.subarray(0, length));
    };
  }
}
