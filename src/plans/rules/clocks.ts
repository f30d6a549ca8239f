/**
 * Two clocks say what time it is: that of the service, which places the calls, and that of this machine. Nobody can say which of
 * them is right, so calling windows hold by both, and where they are too far apart nobody is called. Milliseconds, or since the
 * epoch.
 */
import { MINUTE, SECOND } from '../../text/units.ts';
import { type CallingWindows, HORIZON } from './calling-window.ts';
import { MARGIN } from './rules.ts';

/** What the clocks showed at an instant. */
export interface Clocks {
  /** This machine's. */
  own: number;
  /** By how much the service's was ahead, in whole seconds; 0 where it has none of its own. */
  ahead: number;
}

/** What was chosen so long ago by either clock may begin when somebody's window is over. */
const FRESH = 2 * MINUTE;

/** `service`: what the service's clock shows; undefined if it does not say. */
export function clocksAt(own: number, service: number | undefined): Clocks {
  const apart = service === undefined ? 0 : service - own;
  // Services say their time in whole seconds.
  const seconds = Math.abs(apart) < SECOND ? 0 : Math.ceil(Math.abs(apart) / SECOND);
  return { own, ahead: apart < 0 ? -seconds * SECOND : seconds * SECOND };
}

/** Whether windows that hold by one of the clocks may be over by the other. */
export function areApart({ ahead }: Pick<Clocks, 'ahead'>): boolean {
  return Math.abs(ahead) > MARGIN;
}

/** Why what was chosen at an instant may not be sent at a later one, as part of a sentence; undefined if it may. */
export function whyStale(chosen: Clocks, sent: Clocks): string | undefined {
  const passed = sent.own - chosen.own;
  const atService = passed + sent.ahead - chosen.ahead;
  if (Math.abs(passed - atService) > FRESH) {
    const [here, there] = [passed, atService].map(inWords);
    return `since it was chosen ${here} passed by the clock of this machine, and ${there} by the service's`;
  }
  if (areApart(sent)) return `the clocks are more than ${inWords(MARGIN)} apart now`;
  if (Math.max(Math.abs(passed), Math.abs(atService)) <= FRESH) return undefined;
  return passed < 0 ? 'a clock was set back since it was chosen' : `${inWords(passed)} have passed since it was chosen`;
}

function inWords(time: number): string {
  return Math.abs(time) < MINUTE ? `${Math.round(time / SECOND)} s` : `${Math.round(time / MINUTE)} min`;
}

/** The parts of windows that are open by a clock too that the service's is ahead of. Instants are those of the service. */
export function onBothClocks(windows: CallingWindows, ahead: number): CallingWindows {
  if (ahead === 0) return windows;
  const [later, sooner] = [Math.max(0, ahead), Math.min(0, ahead)];
  return {
    windowAt(place, at) {
      let window = windows.windowAt(place, at);
      // Those of a place may all be too short.
      while (window !== undefined && window.from < at + HORIZON) {
        const [from, until] = [window.from + later, window.until + sooner];
        if (from < until && until > at) return { from, until };
        window = windows.windowAt(place, window.until);
      }
      return undefined;
    },
  };
}
