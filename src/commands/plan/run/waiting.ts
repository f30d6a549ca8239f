/** What a run shows while it waits: one live line, or a line when something has changed. */
import { connectionFlags } from '../../../cli/flags/global.ts';
import { Spinner } from '../../../cli/terminal/progress.ts';
import type { Context } from '../../../context.ts';
import type { Step } from '../../../plans/run/step.ts';
import { SECOND } from '../../../text/units.ts';
import { wrap } from '../../../text/width.ts';
import { waitInWords } from './words.ts';

/** Called when a wait begins; what it returns, when that ends. */
export function waitingView({ io, flags, clock }: Context): (step: Step) => () => void {
  let last = '';
  let isFirst = true;
  return (step) => {
    const { plan, states, next } = step;
    if (isFirst) {
      const timer = `vagent plan schedule ${plan.plan_id}${connectionFlags(flags)}`;
      io.note(`This must stay open: Ctrl-C ends it, and what was sent goes on. By a timer instead: ${timer}`);
    }
    isFirst = false;
    // With --json notes are held back for the end, but a run may go on for days.
    io.releaseNotes();
    if (io.hasProgress) return liveLine(step);
    // When it looks for news of calls again, changes all the time.
    const news = JSON.stringify([states, next?.why, next?.why === 'news' ? undefined : next?.at]);
    if (news !== last) io.note(waitInWords(step));
    last = news;
    return () => {};
  };

  function liveLine(step: Step): () => void {
    const line = new Spinner(io);
    // The service's clock goes on as this machine's does.
    const ahead = step.now - clock.system();
    const show = () => line.show((room) => wrap(waitInWords(step, clock.system() + ahead, room), room).join('\n'));
    show();
    const timer = setInterval(show, SECOND);
    return () => {
      clearInterval(timer);
      line.end();
    };
  }
}
