/** The catalogue's own limits of a video model, checked before anything is paid. A row states what it knows; what it leaves out the vendor decides. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { fieldOf, tierOf } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { rangeText, wrong } from './shapes/fields.ts';
import type { VideoDraft } from './shapes/shape.ts';

/** 400 when the draft is outside `durations`, `resolutions`, `ratios`, `sizes`, `max_images`, or asks a plain model for what only its omni sibling has. */
export function checkRowLimits(draft: VideoDraft, { limits }: Pick<ModelRow, 'limits'>): void {
  checkDuration(draft, limits);
  checkWord(draft, 'resolution', textsOf(limits['resolutions']));
  checkWord(draft, 'ratio', textsOf(limits['ratios']));
  if (draft.shape === 'seconds') checkWord(draft, 'size', textsOf(limits['sizes']));
  const most = numberOf(limits['max_images']) ?? Infinity;
  const over = draft.images[most];
  if (over !== undefined) {
    throw wrong(
      over.param,
      `is one too many: this model takes at most ${most} images; there are ${draft.images.length}`,
    );
  }
  if (limits['omni'] === false) checkPlain(draft);
}

/** The duration the vendor uses when none is asked; undefined when the row does not know. */
export function defaultDuration({ limits }: Pick<ModelRow, 'limits'>): number | undefined {
  const durations = limits['durations'];
  return isJsonObject(durations) ? numberOf(durations['default']) : undefined;
}

/** Width and height of what the model makes when nobody says: the first of its sizes. */
export function defaultSize({ limits }: Pick<ModelRow, 'limits'>): string | undefined {
  return textsOf(limits['sizes']).find((size) => /^\d+x\d+$/.test(size));
}

function checkDuration(draft: VideoDraft, limits: JsonObject): void {
  const { duration } = draft;
  // -1 lets Seedance decide (docs/wire/ark.md#create).
  if (duration === undefined || (duration === -1 && draft.shape === 'content')) return;
  const field = fieldOf(draft, 'duration');
  const durations = isJsonObject(limits['durations']) ? limits['durations'] : {};
  const listed = durations['values'];
  const values = Array.isArray(listed) ? listed.filter((value) => typeof value === 'number') : [];
  if (values.length > 0) {
    if (values.includes(duration)) return;
    throw wrong(field, `must be one of ${values.join(', ')} seconds for this model; it is ${duration}`);
  }
  const min = numberOf(durations['min']);
  const max = numberOf(durations['max']);
  if (duration > 0 && duration >= (min ?? 0) && duration <= (max ?? Infinity)) return;
  const range = { min: min ?? 1, ...(max !== undefined && { max }) };
  throw wrong(field, `must be ${rangeText(range)} seconds for this model; it is ${duration}`);
}

function checkWord(draft: VideoDraft, word: 'resolution' | 'ratio' | 'size', allowed: readonly string[]): void {
  const value = draft[word];
  if (value === undefined || allowed.length === 0) return;
  const same = (one: string): boolean =>
    one.toLowerCase() === value.toLowerCase() || (tierOf(one) !== undefined && tierOf(one) === tierOf(value));
  if (allowed.some(same)) return;
  throw wrong(
    fieldOf(draft, word),
    `must be one of ${allowed.join(', ')} for this model; it is '${value.slice(0, 40)}'`,
  );
}

/** Kling without omni knows a first frame and nothing else (docs/wire/tencent-vod.md#what-is-passed-on). */
function checkPlain(draft: VideoDraft): void {
  const foreign =
    draft.images.find(({ role }) => role !== 'first_frame')?.param ?? draft.videos[0]?.param ?? draft.audios[0]?.param;
  if (foreign !== undefined) {
    throw wrong(foreign, 'is not taken: this model knows a first frame only; its omni sibling takes references');
  }
  if (draft.subjects.length > 0) {
    throw wrong(fieldOf(draft, 'subjects'), 'are not taken: only the omni sibling of this model knows subjects');
  }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
