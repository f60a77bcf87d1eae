/** The words in which requests ask a model to think. */
import { isJsonObject } from '@model-gateway/contracts';

/** An effort that is given and not none. */
export function isEffort(value: unknown): boolean {
  return typeof value === 'string' && value !== 'none';
}

/** `{ type: enabled }` and the like. */
export function isThinkingOn(value: unknown): boolean {
  const type = memberOf(value, 'type');
  return typeof type === 'string' && type !== 'disabled';
}

/** A member of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
