/** What vendors of the generateContent wire keep: cached contents and files (docs/wire/gemini-generate.md). */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import type { FileParts, VendorIds } from '../dialect.ts';
import { createReferences, type References } from '../shared/vendor-references.ts';

/**
 * Whether an address is a file or a bucket that is read with the account's credentials; any other is read as everybody reads it. In whatever
 * spelling: a host in capitals, with a user, a port or a dot at its end, a path with escapes.
 */
export function isKeptFile(address: string): boolean {
  const uri = address.trim();
  if (/^(?:gs:|files\/)/i.test(uri)) return true;
  if (!URL.canParse(uri)) return false;
  const { hostname, pathname } = new URL(uri);
  const host = hostname.replace(/\.$/, '');
  if (/(?:^|\.)storage[\w.-]*\.google(?:apis)?\.com$/.test(host)) return true;
  return /(?:^|\.)googleapis\.com$/.test(host) && /\/files\//i.test(unescaped(pathname));
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const vendorIds: VendorIds = {
  inRequest(body) {
    const references = createReferences();
    for (const name of vendorIds.onlyHere) references.add(body[name], name);
    const inner = body['generateContentRequest'] ?? body['generate_content_request'];
    if (isJsonObject(inner)) {
      for (const { id, param } of vendorIds.inRequest(inner)) references.add(id, `generateContentRequest.${param}`);
    }
    for (const name of ['contents', 'systemInstruction', 'system_instruction', 'tools'])
      read(body[name], name, references);
    return references.found;
  },
  onlyHere: ['cachedContent', 'cached_content', 'previousInteractionId', 'previous_interaction_id'],
  isKept: () => false,
  inReply: () => [],
  eventNames: [],
};

export const files: FileParts = {
  idIn(part) {
    const file = part['fileData'] ?? part['file_data'];
    const uri = isJsonObject(file) ? (file['fileUri'] ?? file['file_uri']) : undefined;
    return typeof uri === 'string' ? uri : undefined;
  },
  inline({ fileData: _camel, file_data: _snake, ...part }, { mime, data, text }) {
    // The wire has no other type of text.
    return { ...part, inlineData: { mimeType: text === undefined ? mime : 'text/plain', data } };
  },
  dataIn(part) {
    const inline = part['inlineData'] ?? part['inline_data'];
    const data = isJsonObject(inline) ? inline['data'] : undefined;
    return typeof data === 'string' ? data : undefined;
  },
  named: ({ inlineData: _camel, inline_data: _snake, ...part }, { name, mime }) => ({
    ...part,
    fileData: { mimeType: mime, fileUri: name },
  }),
};

/** Stores, corpora and engines that a tool searches. */
const SEARCHED =
  /^(?:file_?search_?store_?names|rag_?corpora|rag_?corpus|corpora|corpus|data_?store|data_?store_?specs|engine|semantic_?retriever|collection)$/i;
/** Anything may be said there. */
const FREE_NAMES: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'functionDeclarations',
  'function_declarations',
]);

/** Files wherever they stand, also in the result of a function, and what tools search. */
function read(value: Json | undefined, place: string, references: References): void {
  if (Array.isArray(value)) {
    value.forEach((each, index) => read(each, `${place}[${index}]`, references));
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    const at = `${place}.${name}`;
    if (SEARCHED.test(name) && place.startsWith('tools')) {
      if (Array.isArray(each)) references.addAll(each, at);
      else references.add(each, at);
    } else if (typeof each === 'string') {
      if (/^file_?uri$/i.test(name) && isKeptFile(each)) references.add(each, at);
    } else if (!FREE_NAMES.has(name)) read(each, at, references);
  }
}
