/** What a model would be asked: for an estimate, without asking it. */
import type { JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';
import type { Tenant } from '../ports.ts';
import type { Archive } from './archive.ts';
import { isOwnId } from './ids.ts';
import { asksForNothing } from './kept-chat.ts';
import { withReferences, type ReferenceParts } from './references.ts';

/** The body with all that was said before in place of its names. Throws what the request itself would be refused with. */
export async function bodyAsAsked(
  parts: ReferenceParts & { readonly archive: Pick<Archive, 'history'> },
  tenant: Tenant,
  body: JsonObject,
): Promise<JsonObject> {
  if (asksForNothing(body)) return body;
  const wish = keptResponses.keepingWish(body);
  const named = wish.previousId ?? wish.conversationId;
  if (named !== undefined && !isOwnId(named)) return body;
  const whole = await withReferences(parts, tenant, body, wish);
  const { items } = await parts.archive.history(tenant, wish);
  return keptResponses.continued(whole, items, wish.background || body['stream'] === true);
}
