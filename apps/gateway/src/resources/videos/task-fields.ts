/** What several printed forms of a task share. */
import type { Json } from '@model-gateway/contracts';
import type { TaskRecord } from '@model-gateway/core';

/** Whole seconds since 1970. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** OpenAI's own, for a model of which nothing else is known. */
const USUAL_SECONDS = '4';

/** The length that was asked for, or the model's own, as text. */
export function secondsOf({ input }: TaskRecord): string {
  const duration = input['duration'] ?? input['default_duration'];
  return typeof duration === 'number' ? String(duration) : USUAL_SECONDS;
}

const PORTRAIT = new Set<Json | undefined>(['9:16', '3:4', '2:3']);

/** Width and height that were asked for, or the model's own. OpenAI's SDKs require it: of a model that says none it is 720p in the shape that was asked for. */
export function sizeOf({ input }: TaskRecord): string {
  const size = input['size'] ?? input['default_size'];
  if (typeof size === 'string') return size;
  return PORTRAIT.has(input['ratio']) ? '720x1280' : '1280x720';
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
