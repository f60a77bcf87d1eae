/** Members that a body gets where its writer has not said them. */
import { setTopLevel, type JsonObject } from '@model-gateway/contracts';
import type { BodyBytes } from './forward-request.ts';

/** The body with the members of `fields` that it does not have; its own bytes stay as they are. The same body when it has them all. */
export function withMissingMembers(body: BodyBytes, fields: JsonObject): BodyBytes {
  const missing = Object.entries(fields).filter(([name]) => !Object.hasOwn(body.json, name));
  if (missing.length === 0) return body;
  const members = new Map(missing.map(([name, value]) => [name, JSON.stringify(value)]));
  return { json: { ...body.json, ...Object.fromEntries(missing) }, bytes: setTopLevel(body.bytes, members) };
}
