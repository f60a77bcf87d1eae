import type { Exchange } from './exchange.ts';
import type { Job, JobOrder } from './jobs.ts';
import { withoutMarkers, type Markers } from './markers.ts';
import { seedOf } from './values.ts';
import type { Stage } from './stage.ts';

/** Accepts a job: how long it takes and how it ends is up to the twin's options, the faults and the marks of the prompt. */
export function startJob(exchange: Exchange, markers: Markers, order: Omit<JobOrder, 'fate' | 'seconds'>): Job {
  const { stage, vendor } = exchange;
  const asked = Number(markers.words.get('seconds'));
  return stage.jobs.create(vendor.name, {
    ...order,
    fate: exchange.fate(markers),
    seconds: asked > 0 ? asked : stage.seconds[order.kind],
  });
}

/** A job by its id, unless its prompt wants it to be lost. */
export function findJob(exchange: Exchange, id: string): Job | undefined {
  const job = exchange.stage.jobs.find(exchange.vendor.name, id);
  return job?.prompt.includes('[[twin:lost]]') === true ? undefined : job;
}

export interface VideoWish {
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly audio: boolean;
  readonly prompt: string;
  /** Default: the prompt's own. */
  readonly seed?: number;
}

/** Where the video of a prompt can be fetched. */
export function videoLink(stage: Stage, { prompt, seed, ...wish }: VideoWish): string {
  const text = withoutMarkers(prompt);
  return stage.media.link({ kind: 'video', ...wish, text, seed: seed ?? seedOf(text) });
}

/** What a vendor calls the states of a job. */
export type StateWords = Readonly<
  Record<'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired', string>
>;

/** The vendor's word for a job's state now, as this poll shall hear it. */
export function wordOf(exchange: Exchange, job: Job, words: StateWords): string {
  return exchange.word(words[exchange.stage.jobs.stateOf(job)]);
}
