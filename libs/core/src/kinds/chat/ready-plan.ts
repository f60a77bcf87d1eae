/** A plan as it is sent: with the media that its model takes only as bytes, and with a body that is large. */
import type { Upstream } from '@model-gateway/provider-kit';
import type { ChatRequest, FetchedMedia } from '@model-gateway/translate';
import { translated, type Plan } from './plan.ts';
import { writeJsonInTurns } from './write-json.ts';

const LARGEST_MEDIA_BYTES = 50 * 1024 * 1024;
const MEDIA_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/heic',
  'image/heif',
  'application/pdf',
  'audio/wav',
  'audio/mpeg',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
  'video/mp4',
  'video/mpeg',
  'video/quicktime',
  'video/webm',
] as const;

/** The plan as it is sent: with its media, and with its bytes where there are so many that they are written in turns. */
export async function readyPlan(plan: Plan, upstream: Pick<Upstream, 'fetchMedia'>): Promise<Plan> {
  const whole = await withMedia(plan, upstream);
  const { translation } = whole;
  if (translation?.largeBytes === undefined) return whole;
  const { largeBytes, ...written } = translation;
  return { ...whole, bytes: await writeJsonInTurns(written.sent.body, largeBytes), translation: written };
}

/** The plan with its media fetched and put in; the same plan when there is none. */
async function withMedia(plan: Plan, upstream: Pick<Upstream, 'fetchMedia'>): Promise<Plan> {
  const { translation, upstreamDialect, fetch } = plan;
  if (translation === undefined || upstreamDialect.media === undefined || fetch.length === 0) return plan;
  const { request } = translation;
  const fetched = await Promise.all(
    fetch.map(async (url): Promise<readonly [string, FetchedMedia]> => {
      const param = placeOf(request, url);
      const { bytes, mime } = await upstream.fetchMedia(url, {
        maxBytes: LARGEST_MEDIA_BYTES,
        types: MEDIA_TYPES,
        param,
      });
      return [url, { data: Buffer.from(bytes).toString('base64'), mime }];
    }),
  );
  return translated(plan, { ...translation, request: upstreamDialect.media.inline(request, new Map(fetched)) });
}

function placeOf(request: ChatRequest, url: string): string {
  return partWith(request, url)?.place ?? 'messages';
}

/** The first part whose bytes are behind an address, and the narrowest place that is known of it. */
function partWith(request: ChatRequest, url: string): { kind: string; place: string | undefined } | undefined {
  for (const turn of request.turns) {
    for (const part of turn.parts) {
      const media = part.type === 'tool-result' ? part.content : [part];
      const found = media.find((each) => 'source' in each && each.source.type === 'url' && each.source.url === url);
      if (found !== undefined) return { kind: found.type, place: found.place ?? part.place ?? turn.place };
    }
  }
  return undefined;
}

/** Of media that stand for others; every wire with such parts takes them. */
const USUAL_TYPES = new Map(Object.entries({ audio: 'audio/wav', video: 'video/mp4', document: 'application/pdf' }));

/** For a plan whose answer has come: it reads the answer as any other does, and what is not sent needs no media. */
export function fetchingNothing({ translation }: Plan): Pick<Upstream, 'fetchMedia'> {
  const kindOf = (url: string): string => (translation && partWith(translation.request, url)?.kind) ?? 'image';
  return {
    fetchMedia: (url) => Promise.resolve({ bytes: Buffer.of(0), mime: USUAL_TYPES.get(kindOf(url)) ?? 'image/png' }),
  };
}
