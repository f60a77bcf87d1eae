/** What vendors of the chat-completions wire keep (docs/wire/openai-chat.md#request-fields): files, and recordings of their own. */
import { isJsonObject } from '@model-gateway/contracts';
import type { VendorIds } from '../dialect.ts';
import { createReferences, objectsIn } from '../shared/vendor-references.ts';

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    // Of compatible vendors.
    for (const name of vendorIds.onlyHere) references.add(body[name], name);
    const { messages } = body;
    if (!Array.isArray(messages)) return references.found;
    // By index, and no place before something is found: most histories are long and refer to nothing.
    for (let at = 0; at < messages.length; at++) {
      const message = messages[at];
      if (!isJsonObject(message)) continue;
      const { audio, content } = message;
      if (isJsonObject(audio)) references.add(audio, `messages[${at}].audio`);
      if (!Array.isArray(content)) continue;
      for (const [part, place] of objectsIn(content, `messages[${at}].content`)) {
        if (isJsonObject(part['file'])) references.add(part['file']['file_id'], `${place}.file.file_id`);
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
  eventNames: ['audio":{"id"', 'audio": {"id"'],
};
