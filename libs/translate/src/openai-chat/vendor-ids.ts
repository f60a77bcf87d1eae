/** What vendors of the chat-completions wire keep (docs/wire/openai-chat.md#request-fields): files, and recordings of their own. */
import { isJsonObject } from '@model-gateway/contracts';
import type { FileParts, VendorIds } from '../dialect.ts';
import { createReferences, dataOfUrl, objectsIn } from '../shared/vendor-references.ts';

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

/** Sound that this wire has a word for. */
const SOUNDS: Readonly<Record<string, string>> = { 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/mpeg': 'mp3' };

/** Pictures and sound have parts of their own; a text is one, because hardly any server of this wire reads text files. */
export const files: FileParts = {
  idIn({ type, file }) {
    const id = type === 'file' && isJsonObject(file) ? file['file_id'] : undefined;
    return typeof id === 'string' ? id : undefined;
  },
  inline({ file: _file, ...part }, { filename, mime, data, text }) {
    const url = `data:${mime};base64,${data}`;
    const format = SOUNDS[mime];
    if (text !== undefined) return { ...part, type: 'text', text: `${filename}:\n\n${text}` };
    if (mime.startsWith('image/')) return { ...part, type: 'image_url', image_url: { url } };
    if (format !== undefined) return { ...part, type: 'input_audio', input_audio: { data, format } };
    return { ...part, type: 'file', file: { filename, file_data: url } };
  },
  // Pictures and sound have no ids on this wire.
  dataIn: ({ type, file }) => (type === 'file' && isJsonObject(file) ? dataOfUrl(file['file_data']) : undefined),
  named: (part, { name }) => ({ ...part, file: { file_id: name } }),
};
