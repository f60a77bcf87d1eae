/** Chat-completions bodies for the tests of reading them. */
import type { Json, JsonObject } from '@model-gateway/contracts';

export const user = { role: 'user', content: 'hi' };

/** A body of these messages alone. */
export const messages = (...list: Json[]): JsonObject => ({ model: 'm', messages: list });
