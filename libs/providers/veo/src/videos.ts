import { textAt, type VideoAdapter } from '@model-gateway/provider-kit';
import { wireOf, type Wire } from './declared.ts';
import { gemini, vertex } from './google.ts';
import { kie } from './kie.ts';

const WIRES: Readonly<Record<Wire, VideoAdapter>> = { gemini, vertex, kie };

/** Veo by the account's wire; a task is asked after on the wire it was started on. */
export const videos: VideoAdapter = {
  media: (input, account) => WIRES[wireOf(account)].media?.(input, account) ?? [],
  start: (input, upstream) => WIRES[wireOf(upstream.account)].start(input, upstream),
  check(ticket, upstream) {
    const started = textAt(ticket, 'wire');
    return WIRES[wireOf({ settings: started === undefined ? {} : { wire: started } })].check(ticket, upstream);
  },
};
