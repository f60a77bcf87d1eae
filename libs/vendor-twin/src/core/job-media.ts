/** What vendors of jobs make: pictures and films by their prompts, told apart by kind. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Exchange } from './exchange.ts';
import type { Job } from './jobs.ts';
import { withoutMarkers, type Markers } from './markers.ts';
import { seedOf, type Size } from './values.ts';
import { startJob, videoLink } from './work.ts';

/** What was asked for. */
export interface MediaWish {
  readonly kind: 'image' | 'video';
  readonly model: string;
  readonly prompt: string;
  readonly size: Size;
  readonly count?: number;
  readonly seconds?: number;
  readonly format?: 'png' | 'jpeg' | 'webp';
  readonly audio?: boolean;
  readonly seed?: number | undefined;
}

/** Accepts a job whose `details.urls` are links to what it makes. */
export function startMediaJob(
  exchange: Exchange,
  markers: Markers,
  { wish, id, details = {} }: { readonly wish: MediaWish; readonly id: string; readonly details?: JsonObject },
): Job {
  const { kind, model, prompt, size, count = 1, seconds = 5 } = wish;
  const usage: Usage = kind === 'image' ? { images: count } : { videos: 1, seconds };
  return startJob(exchange, markers, {
    ...{ id, kind, model, prompt, usage },
    details: { ...details, ...size, seconds, urls: linksOf(exchange, wish, count, seconds) },
  });
}

function linksOf({ stage }: Exchange, wish: MediaWish, count: number, seconds: number): string[] {
  const { kind, prompt, size, format = 'png', audio = false } = wish;
  const text = withoutMarkers(prompt);
  const seed = wish.seed ?? seedOf(text);
  if (kind === 'video') return [videoLink(stage, { ...size, seconds, audio, prompt, seed })];
  return Array.from({ length: count }, (_, index) =>
    stage.media.link({
      kind: 'image',
      ...size,
      format,
      text: count > 1 ? `${text} (${index + 1})` : text,
      seed: seed + index,
    }),
  );
}

/** The links of a finished job. */
export function linksIn({ details: { urls } }: Job): string[] {
  return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
}
