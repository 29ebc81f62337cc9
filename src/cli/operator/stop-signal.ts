import { hasTerminal } from '../terminal/has-terminal.ts';

/** Tells when jobd is to stop. */
export interface StopSignal {
  /** Resolves with the first signal that asks for it. */
  asked: Promise<NodeJS.Signals>;
  isAsked: () => boolean;
  /** Calls this at each SIGHUP that is ignored. */
  onIgnored: (tell: () => void) => void;
}

/**
 * From now on SIGTERM and SIGINT ask jobd to stop; a second one ends the process. SIGHUP says that the terminal is gone, and
 * may come several times: it asks too, and does not count as the second. Without a terminal, as after `nohup` or in a service,
 * it is ignored.
 */
export function nextStopSignal(): StopSignal {
  const { promise: asked, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
    isAsked = true;
    resolve(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Not its disposition: Node has reset that to the default.
  const isIgnored = !hasTerminal();
  let tell: (() => void) | undefined;
  process.on('SIGHUP', () => {
    if (isIgnored) tell?.();
    else if (!isAsked) onSignal('SIGHUP');
  });
  return { asked, isAsked: () => isAsked, onIgnored: (told) => void (tell = told) };
}
