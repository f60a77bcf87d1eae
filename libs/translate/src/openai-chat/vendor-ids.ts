/** What vendors of the chat-completions wire keep (docs/wire/openai-chat.md#request-fields): files, and recordings of their own. */
import { isJsonObject } from '@model-gateway/contracts';
import type { VendorIds } from '../dialect.ts';
import { createReferences, objectsIn } from '../shared/vendor-references.ts';

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    // Of compatible vendors.
    for (const name of vendorIds.onlyHere) references.add(body[name], name);
    for (const [message, place] of objectsIn(body['messages'], 'messages')) {
      if (isJsonObject(message['audio'])) references.add(message['audio'], `${place}.audio`);
      for (const [part, at] of objectsIn(message['content'], `${place}.content`)) {
        if (isJsonObject(part['file'])) references.add(part['file']['file_id'], `${at}.file.file_id`);
      }
    }
    return references.found;
  },
  onlyHere: ['previous_response_id', 'conversation', 'conversation_id'],
  isKept: (body) => isJsonObject(body['audio']),
  inReply(data) {
    const ids = createReferences();
    for (const [choice] of objectsIn(data['choices'], 'choices')) {
      for (const name of ['message', 'delta']) {
        const said = choice[name];
        if (isJsonObject(said) && isJsonObject(said['audio'])) ids.add(said['audio'], 'audio');
      }
    }
    return ids.found.map(({ id }) => id);
  },
  eventNames: ['"audio":{"id"', '"audio": {"id"'],
};
