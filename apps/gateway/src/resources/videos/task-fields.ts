/** What several printed forms of a task share. */
import type { Json } from '@model-gateway/contracts';
import type { TaskRecord } from '@model-gateway/core';

/** Whole seconds since 1970. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** The length that was asked for, or the model's own, as text. */
export function secondsOf({ input }: TaskRecord): string | undefined {
  const duration = input['duration'] ?? input['default_duration'];
  return typeof duration === 'number' ? String(duration) : undefined;
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
