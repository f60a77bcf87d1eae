/** What vendors of the Responses wire keep (docs/wire/openai-responses.md#request-fields): responses, conversations, files, containers. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VendorIds } from '../dialect.ts';
import { createReferences, objectsIn, textsUnder, type References } from '../shared/vendor-references.ts';

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    references.add(body['previous_response_id'], 'previous_response_id');
    references.add(body['conversation'], 'conversation');
    if (isJsonObject(body['prompt'])) references.add(body['prompt'], 'prompt');
    for (const [item, place] of objectsIn(body['input'], 'input')) readItem(item, place, references);
    for (const [tool, place] of objectsIn(body['tools'], 'tools')) readTool(tool, place, references);
    return references.found;
  },
  onlyHere: ['previous_response_id', 'conversation', 'prompt'],
  isKept: (body) => body['store'] !== false,
  inReply(data) {
    const response = isJsonObject(data['response']) ? data['response'] : data;
    const ids = createReferences();
    if (response['object'] === 'response') ids.add(response['id'], 'id');
    ids.add(response['conversation'], 'conversation');
    for (const [item] of objectsIn(response['output'], 'output')) ids.add(item['id'], 'id');
    return [...ids.found.map(({ id }) => id), ...textsUnder(data, ['container_id', 'file_id'])];
  },
  eventNames: ['"container_id":', '"file_id":'],
};

function readItem(item: JsonObject, place: string, references: References): void {
  // Without its encrypted content it is the vendor's copy that is read.
  const isReference =
    item['type'] === 'item_reference' || (item['type'] === 'reasoning' && isBare(item) && !isOwnId(item['id']));
  if (isReference) references.add(item['id'], `${place}.id`);
  references.add(item['container_id'], `${place}.container_id`);
  for (const name of ['content', 'output']) {
    for (const [part, at] of objectsIn(item[name], `${place}.${name}`))
      references.add(part['file_id'], `${at}.file_id`);
  }
  if (isJsonObject(item['output'])) references.add(item['output']['file_id'], `${place}.output.file_id`);
}

/** Ids that the gateway made for answers of other wires (`createItemIds`): nobody keeps what they name. */
function isOwnId(id: Json | undefined): boolean {
  return typeof id === 'string' && /^rs_[A-Za-z0-9]+_\d+$/.test(id);
}

function isBare({ encrypted_content: sealed }: JsonObject): boolean {
  return sealed === undefined || sealed === null || sealed === '';
}

function readTool(tool: JsonObject, place: string, references: References): void {
  references.addAll(tool['vector_store_ids'], `${place}.vector_store_ids`);
  for (const name of ['container', 'environment']) {
    const container = tool[name];
    if (typeof container === 'string') references.add(container, `${place}.${name}`);
    if (!isJsonObject(container)) continue;
    references.add(container['container_id'], `${place}.${name}.container_id`);
    references.addAll(container['file_ids'], `${place}.${name}.file_ids`);
  }
  if (isJsonObject(tool['input_image_mask']))
    references.add(tool['input_image_mask']['file_id'], `${place}.input_image_mask.file_id`);
}
