/** What vendors of the Responses wire keep (docs/wire/openai-responses.md#request-fields): responses, conversations, files, containers. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { FileParts, VendorIds } from '../dialect.ts';
import {
  createReferences,
  dataOfUrl,
  objectsIn,
  referencesUnder,
  textsUnder,
  type References,
} from '../shared/vendor-references.ts';

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    for (const name of vendorIds.onlyHere) {
      const given = body[name];
      // A text there is the prompt itself.
      if (name !== 'prompt' || isJsonObject(given)) references.add(given, name);
    }
    for (const [item, place] of objectsIn(body['input'], 'input')) readItem(item, place, references);
    for (const [tool, place] of objectsIn(body['tools'], 'tools')) readTool(tool, place, references);
    for (const name of ['input', 'tools'])
      referencesUnder(body[name], name, { names: KEPT_NAMES, except: FREE_NAMES, references });
    return references.found;
  },
  onlyHere: ['previous_response_id', 'conversation', 'prompt'],
  isKept: (body) => body['store'] !== false,
  inReply(data) {
    const response = isJsonObject(data['response']) ? data['response'] : data;
    const ids = createReferences();
    // Of the rest of an event (metadata, tools, a prompt's variables) the caller is the author: its ids say nothing.
    const made = [response['output'], data['item'], data['part'], data['annotation']].flatMap((each) => each ?? []);
    if (response['object'] === 'response') ids.add(response['id'], 'id');
    ids.add(response['conversation'], 'conversation');
    for (const [item] of objectsIn(response['output'], 'output')) ids.add(item['id'], 'id');
    return [...ids.found.map(({ id }) => id), ...textsUnder(made, ['container_id', 'file_id'], WRITTEN_BY_MODELS)];
  },
  eventNames: ['container_id":', 'file_id":'],
};

/** A picture is one in whichever part it is named; a text is one, because not every server of this wire reads text files. */
export const files: FileParts = {
  idIn({ type, file_id: id }) {
    return (type === 'input_file' || type === 'input_image') && typeof id === 'string' ? id : undefined;
  },
  inline({ file_id: _id, filename: given, ...part }, { filename, mime, data, text }) {
    const url = `data:${mime};base64,${data}`;
    if (text !== undefined) return { type: 'input_text', text: `${filename}:\n\n${text}` };
    if (mime.startsWith('image/')) return { detail: 'auto', ...part, type: 'input_image', image_url: url };
    return { ...part, type: 'input_file', filename: given ?? filename, file_data: url };
  },
  dataIn({ type, file_data: file, image_url: image }) {
    return type === 'input_file' ? dataOfUrl(file) : type === 'input_image' ? dataOfUrl(image) : undefined;
  },
  named: ({ filename: _filename, file_data: _data, image_url: _url, ...part }, { name }) => ({
    ...part,
    file_id: name,
  }),
};

/** A caller tells a model what to write there. */
const WRITTEN_BY_MODELS: readonly string[] = ['arguments', 'action', 'actions', 'input'];

/** Names behind which something stands that the vendor keeps, wherever in an item or a tool. */
const KEPT_NAMES: ReadonlySet<string> = new Set([
  'file_id',
  'file_ids',
  'container_id',
  'vector_store_ids',
  'skill_id',
]);
/** Below these anything may be said. */
const FREE_NAMES: ReadonlySet<string> = new Set([
  'arguments',
  'action',
  'actions',
  'parameters',
  'schema',
  'filters',
  'metadata',
]);

function readItem(item: JsonObject, place: string, references: References): void {
  // Without its encrypted content, or its picture, it is the vendor's copy that is read.
  const isReference =
    item['type'] === 'item_reference' ||
    (item['type'] === 'reasoning' && isBare(item) && !isOwnId(item['id'])) ||
    (item['type'] === 'image_generation_call' && isNothing(item['result']));
  if (isReference) references.add(item['id'], `${place}.id`);
}

/** Ids that the gateway made for answers of other wires (`createItemIds`): nobody keeps what they name. */
function isOwnId(id: Json | undefined): boolean {
  return typeof id === 'string' && /^rs_[A-Za-z0-9]+_\d+$/.test(id);
}

function isBare({ encrypted_content: sealed }: JsonObject): boolean {
  return isNothing(sealed);
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** A container may be named by its id alone. Under `environment` other texts are words (`browser`), unless they look like one. */
function readTool(tool: JsonObject, place: string, references: References): void {
  const { container, environment } = tool;
  if (typeof container === 'string') references.add(container, `${place}.container`);
  if (typeof environment === 'string' && environment.startsWith('cntr_'))
    references.add(environment, `${place}.environment`);
}
