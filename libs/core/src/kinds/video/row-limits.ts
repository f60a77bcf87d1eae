/** The catalogue's own limits of a video model, checked before anything is paid. A row states what it knows; what it leaves out the vendor decides. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { classIn, fieldOf, pixelsOf, tierOf } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { rangeText, shown, wrong } from './shapes/fields.ts';
import type { VideoDraft } from './shapes/shape.ts';
import { classMembers, textsOf } from './video-class.ts';

/** 400 when the draft is outside `durations`, `resolutions`, `ratios`, `sizes`, `max_images`, or asks a plain model for what only its omni sibling has. */
export function checkRowLimits(draft: VideoDraft, { limits, price }: Pick<ModelRow, 'limits' | 'price'>): void {
  checkDuration(draft, limits);
  checkWord(draft, 'resolution', textsOf(limits['resolutions']));
  checkWord(draft, 'ratio', textsOf(limits['ratios']));
  checkSize(draft, limits, price.resolution_factors !== undefined);
  checkElsewhere(draft, limits);
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

/**
 * A size is one of the row's own, or comes to one of its classes: vendors make, and bill, the class that it comes to. Where all classes cost the
 * same, any size says at least the ratio: clients that know one size alone go on.
 */
function checkSize(draft: VideoDraft, limits: JsonObject, isPricedByClass: boolean): void {
  const { size, resolution } = draft;
  const sizes = textsOf(limits['sizes']);
  const classes = textsOf(limits['resolutions']);
  if (size === undefined || sizes.some((one) => isSameSize(one, size))) return;
  const field = fieldOf(draft, 'size');
  const found = classIn(classes, size);
  if (classes.length === 0 || (found === undefined && !isPricedByClass)) {
    if (draft.shape === 'seconds') checkWord(draft, 'size', sizes);
    return;
  }
  if (found === undefined) {
    const right = [...sizes, ...classes.map(withPixels)].join(', ');
    throw wrong(field, `must come to one of ${right} for this model; it is ${shown(size)}`);
  }
  if (resolution === undefined || classIn(classes, resolution) === found) return;
  throw wrong(
    field,
    `comes to ${found}, but ${fieldOf(draft, 'resolution')} is ${shown(resolution)}; give one of both`,
  );
}

/** The same in a word that only the vendor knows, and reads. */
function checkElsewhere({ extra }: VideoDraft, limits: JsonObject): void {
  const classes = textsOf(limits['resolutions']);
  if (classes.length === 0) return;
  for (const [name, word] of classMembers(extra)) {
    if (tierOf(word) === undefined && pixelsOf(word) === undefined) continue;
    if (classIn(classes, word) !== undefined) continue;
    throw wrong(name, `must be one of ${classes.join(', ')} for this model; it is ${shown(word)}`);
  }
}

function isSameSize(one: string, other: string): boolean {
  const [first, second] = [pixelsOf(one), pixelsOf(other)];
  if (first === undefined || second === undefined) return one.toLowerCase() === other.toLowerCase();
  return first.width === second.width && first.height === second.height;
}

/** `720p (1280x720)`: a class, and a size that comes to it. */
function withPixels(word: string): string {
  const side = tierOf(word);
  return side === undefined ? word : `${word} (${Math.round((side * 8) / 9) * 2}x${side})`;
}

/** The class of the row that a size in pixels comes to, beside it: what is billed is then what vendors are asked for. */
export function withClass(draft: VideoDraft, { limits }: Pick<ModelRow, 'limits'>): VideoDraft {
  if (draft.resolution !== undefined || pixelsOf(draft.size) === undefined) return draft;
  const resolution = classIn(textsOf(limits['resolutions']), draft.size ?? '');
  return resolution === undefined ? draft : { ...draft, resolution };
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

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
