/** What vendors of the Messages wire keep: containers, files, threads (docs/wire/anthropic-messages.md). */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { FileParts, VendorIds } from '../dialect.ts';
import { createReferences, objectsIn, textsUnder, type References } from '../shared/vendor-references.ts';

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    const { container, thread } = body;
    references.add(container, 'container');
    if (isJsonObject(container)) {
      for (const [skill, place] of objectsIn(container['skills'], 'container.skills')) {
        // Those of Anthropic are everybody's.
        if (skill['type'] === 'custom') references.add(skill['skill_id'], `${place}.skill_id`);
      }
    }
    references.add(body['previous_message_id'], 'previous_message_id');
    if (isJsonObject(thread)) {
      references.add(thread, 'thread');
      references.add(thread['thread_id'], 'thread.thread_id');
    }
    for (const [message, place] of objectsIn(body['messages'], 'messages')) {
      readBlocks(message, place, references);
    }
    return references.found;
  },
  onlyHere: ['container', 'thread', 'previous_message_id'],
  isKept: (body) =>
    isSaid(body['container']) ||
    isSaid(body['thread']) ||
    isSaid(body['previous_message_id']) ||
    [...objectsIn(body['tools'], 'tools')].some(
      ([{ type }]) => typeof type === 'string' && /^code_execution/.test(type),
    ),
  inReply(data) {
    const ids = createReferences();
    const message = isJsonObject(data['message']) ? data['message'] : data;
    if (message['type'] === 'message') ids.add(message['id'], 'id');
    for (const holder of [message, data['delta']]) {
      if (!isJsonObject(holder)) continue;
      ids.add(holder['container'], 'container');
      ids.add(holder['thread'], 'thread');
    }
    // Of results only: what a model writes (the input of a tool, the fields of an answer in JSON) a caller may have told it to.
    const blocks = [...objectsIn(message['content'], ''), ...objectsIn([data['content_block'] ?? null], '')];
    const results = blocks
      .map(([block]) => block)
      .filter(({ type }) => typeof type === 'string' && type.endsWith('_tool_result'));
    return [...ids.found.map(({ id }) => id), ...textsUnder(results, ['file_id'], ['input'])];
  },
  eventNames: ['file_id":', 'container":'],
};

export const files: FileParts = {
  idIn({ source }) {
    const id = isJsonObject(source) && source['type'] === 'file' ? source['file_id'] : undefined;
    return typeof id === 'string' ? id : undefined;
  },
  inline(part, { filename, mime, data, text }) {
    const title = part['type'] === 'document' && part['title'] === undefined ? { title: filename } : {};
    const source =
      text === undefined
        ? { type: 'base64', media_type: mime, data }
        : { type: 'text', media_type: 'text/plain', data: text };
    return { ...part, ...title, source };
  },
  dataIn({ source }) {
    const data = isJsonObject(source) && source['type'] === 'base64' ? source['data'] : undefined;
    return typeof data === 'string' ? data : undefined;
  },
  named: (part, { name }) => ({ ...part, source: { type: 'file', file_id: name } }),
  headers: { 'anthropic-beta': 'files-api-2025-04-14' },
};

/** A document, a picture or an upload, also inside the result of a tool. */
function readBlocks(holder: JsonObject, place: string, references: References): void {
  for (const [block, at] of objectsIn(holder['content'], `${place}.content`)) {
    references.add(block['file_id'], `${at}.file_id`);
    if (isJsonObject(block['source'])) references.add(block['source']['file_id'], `${at}.source.file_id`);
    if (block['type'] === 'tool_result') readBlocks(block, at, references);
  }
}

function isSaid(value: JsonObject[string] | undefined): boolean {
  return value !== undefined && value !== null;
}
