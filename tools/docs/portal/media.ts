/** Samples of the media models, made by the twin's own encoders when they are first asked for. */
import type { CatalogueModel } from './catalogue.ts';
import { sampleOf } from './catalogue.ts';

export interface MediumFile {
  readonly type: string;
  readonly body: Uint8Array;
}

const [WIDTH, HEIGHT] = [320, 180];
const SECONDS = 2;
const TYPES = { video: 'video/mp4', image: 'image/webp', speech: 'audio/mpeg' };

/** What makes the files of `media/`, by their paths. */
export function mediaOf(models: readonly CatalogueModel[]): ReadonlyMap<string, () => Promise<MediumFile>> {
  return new Map(
    models.flatMap((model, seed) => {
      const sample = sampleOf(model);
      if (sample === undefined) return [];
      const { kind, file } = sample;
      const text = model.code;
      const specs = {
        video: { kind: 'video', width: WIDTH, height: HEIGHT, seconds: SECONDS, audio: false, text, seed },
        image: { kind: 'image', width: WIDTH, height: HEIGHT, format: 'webp', text, seed },
        speech: { kind: 'speech', text, voice: model.voices?.[1] ?? '', format: 'mp3', sung: false, speed: 1 },
      } as const;
      const make = async (): Promise<MediumFile> => {
        // The encoders take a moment to load: pages do without them.
        const twin = await import('@model-gateway/vendor-twin/media');
        return { type: TYPES[kind], body: await twin.make(specs[kind]) };
      };
      return [[`media/${file}`, make] as const];
    }),
  );
}
