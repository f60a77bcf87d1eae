/** What vendors of the generateContent wire keep: cached contents and files (docs/wire/gemini-generate.md). */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import type { VendorIds } from '../dialect.ts';
import { createReferences, objectsIn } from '../shared/vendor-references.ts';

/** Files and buckets that are read with the account's credentials; any other address is read as everybody reads it. */
const KEPT_FILE =
  /^gs:|^(?:https?:\/\/[\w.-]*\.googleapis\.com\/.*\/)?files\/[\w-]+|^https?:\/\/[\w.-]*storage[\w.-]*\.google(?:apis)?\.com\//i;

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    for (const name of vendorIds.onlyHere) references.add(body[name], name);
    const inner = body['generateContentRequest'] ?? body['generate_content_request'];
    if (isJsonObject(inner)) {
      for (const { id, param } of vendorIds.inRequest(inner)) references.add(id, `generateContentRequest.${param}`);
    }
    for (const [content, place] of objectsIn(listOf(body['contents']), 'contents')) {
      for (const [part, at] of objectsIn(listOf(content['parts']), `${place}.parts`)) {
        const file = part['fileData'] ?? part['file_data'];
        const uri = isJsonObject(file) ? (file['fileUri'] ?? file['file_uri']) : undefined;
        if (typeof uri === 'string' && KEPT_FILE.test(uri)) references.add(uri, `${at}.fileData.fileUri`);
      }
    }
    return references.found;
  },
  onlyHere: ['cachedContent', 'cached_content', 'previousInteractionId', 'previous_interaction_id'],
  isKept: () => false,
  inReply: () => [],
  eventNames: [],
};

/** One object stands for a list of one here. */
function listOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? [value] : value;
}
