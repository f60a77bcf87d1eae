import { dotted, type Reader } from '../core/reader.ts';
import { isSealed } from '../core/auth.ts';
import { badMessage } from './errors.ts';

export const THINKING_SEAL = 'anthropic-thinking';
export const REDACTED_SEAL = 'anthropic-redacted';
export const SEARCH_SEAL = 'anthropic-search';

/** One content block, as far as the conversation and its rules need it. */
export interface Block {
  readonly type: string;
  readonly path: string;
  readonly text: string;
  /** Images in the block, those inside a tool result included. */
  readonly images: number;
  readonly documents: number;
  /** Of `tool_use` and `server_tool_use`; of `tool_result`, the call it answers. */
  readonly toolId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly path: string;
  readonly blocks: readonly Block[];
}

export interface BlockRules {
  /** API version 2026-10-21. */
  readonly newVersion: boolean;
  /** Called for every block that carries a cache mark. */
  readonly onCacheMark: (block: Reader) => void;
}

const USER_TYPES = ['text', 'image', 'document', 'tool_result', 'search_result', 'container_upload'] as const;
const ASSISTANT_TYPES = [
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'document',
] as const;
const RESULT_TYPES = ['text', 'image', 'document', 'search_result', 'tool_reference'] as const;
type BlockType = (typeof USER_TYPES)[number] | (typeof ASSISTANT_TYPES)[number] | (typeof RESULT_TYPES)[number];

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

/** Reads one message and every block in it. */
export function readMessage(message: Reader, rules: BlockRules): Message {
  const role = message.oneOf('role', ['user', 'assistant', 'system'] as const);
  const path = dotted(message.path);
  const { content } = message.value;
  if (typeof content === 'string') {
    return { role, path, blocks: [{ type: 'text', path: `${path}.content`, text: content, images: 0, documents: 0 }] };
  }
  message.array('content');
  const types = role === 'assistant' ? ASSISTANT_TYPES : role === 'system' ? (['text'] as const) : USER_TYPES;
  const blocks = message.objects('content').map((block) => {
    const read = readBlock(block, types, rules);
    if (role === 'user' && rules.newVersion && block.objects('citations').length > 0) {
      throw badMessage(`${read.path}.citations: citations are not permitted on text blocks in user messages`);
    }
    if (role === 'assistant' && rules.newVersion && read.type === 'document') {
      throw badMessage(`${read.path}: document blocks are not permitted in assistant messages`);
    }
    return read;
  });
  return { role, path, blocks };
}

function readBlock(block: Reader, types: readonly BlockType[], rules: BlockRules): Block {
  const type = block.oneOf('type', types);
  if (block.has('cache_control')) {
    readCacheControl(block.object('cache_control'));
    rules.onCacheMark(block);
  }
  const path = dotted(block.path);
  const plain = { type, path, text: '', images: 0, documents: 0 };
  switch (type) {
    case 'text':
      return { ...plain, text: readText(block) };
    case 'image':
      readImage(block);
      return { ...plain, images: 1 };
    case 'document':
      return { ...plain, text: readDocument(block), documents: 1 };
    case 'search_result':
      block.string('source');
      return { ...plain, text: block.string('title'), documents: 1 };
    case 'thinking':
      readThinking(block, path);
      return plain;
    case 'redacted_thinking':
      if (!isSealed(REDACTED_SEAL, '', block.string('data')))
        throw badMessage(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
      return plain;
    case 'tool_use':
    case 'server_tool_use':
      block.object('input');
      return { ...plain, toolId: readToolId(block, 'id'), toolName: block.string('name') };
    case 'tool_result':
      return readResult(block, rules, plain);
    case 'web_search_tool_result':
      readSearchResult(block, path);
      return { ...plain, toolId: readToolId(block, 'tool_use_id') };
    case 'web_fetch_tool_result':
      return { ...plain, toolId: readToolId(block, 'tool_use_id') };
    case 'container_upload':
    case 'tool_reference':
      return plain;
  }
}

export function readCacheControl(mark: Reader): void {
  mark.oneOf('type', ['ephemeral'] as const);
  mark.optionalOneOf('ttl', ['5m', '1h'] as const);
}

/** Text blocks are never empty; only a last assistant message may be blank, and that is found elsewhere. */
export function readText(block: Reader): string {
  const text = block.optionalString('text') ?? block.fail('text', 'a string', 'missing');
  if (text === '') throw badMessage(`${dotted(block.path)}: text content blocks must be non-empty`);
  if (text.trim() === '')
    throw badMessage(`${dotted(block.path)}: text content blocks must contain non-whitespace text`);
  return text;
}

function readToolId(block: Reader, name: string): string {
  const id = block.string(name);
  if (!TOOL_ID.test(id)) {
    throw badMessage(`${dotted(block.path)}.${name}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  return id;
}

function readImage(block: Reader): void {
  const source = block.object('source');
  const type = source.oneOf('type', ['base64', 'url', 'file'] as const);
  if (type === 'base64') {
    const media = source.oneOf('media_type', ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const);
    const data = source.string('data');
    const found = sniff(Buffer.from(data.slice(0, 64), 'base64'));
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data.slice(0, 1024)))
      throw badMessage(`${dotted(source.path)}.data: invalid base64 data`);
    if (found !== undefined && found !== media) {
      throw badMessage(`${dotted(source.path)}: Image does not match the provided media type ${media}`);
    }
  } else if (type === 'url' && !/^https?:\/\//.test(source.string('url'))) {
    throw badMessage(`${dotted(source.path)}.url: Only http and https URLs are supported`);
  } else if (type === 'file') {
    source.string('file_id');
  }
}

/** The media type its first bytes tell; undefined when they tell nothing. */
function sniff(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 4).toString('latin1') === '\u0089PNG') return 'image/png';
  if (bytes.subarray(0, 3).toString('hex') === 'ffd8ff') return 'image/jpeg';
  if (bytes.subarray(0, 4).toString('latin1') === 'GIF8') return 'image/gif';
  return bytes.subarray(8, 12).toString('latin1') === 'WEBP' ? 'image/webp' : undefined;
}

function readDocument(block: Reader): string {
  const source = block.object('source');
  const type = source.oneOf('type', ['base64', 'text', 'url', 'file', 'content'] as const);
  switch (type) {
    case 'base64':
      source.oneOf('media_type', ['application/pdf'] as const);
      source.string('data');
      return '';
    case 'text':
      source.oneOf('media_type', ['text/plain'] as const);
      return source.string('data');
    case 'url':
      source.string('url');
      return '';
    case 'file':
      source.string('file_id');
      return '';
    case 'content':
      return '';
  }
}

function readThinking(block: Reader, path: string): void {
  const thinking = block.optionalString('thinking') ?? block.fail('thinking', 'a string', 'missing');
  const signature = block.optionalString('signature') ?? block.fail('signature', 'a string', 'missing');
  if (!isSealed(THINKING_SEAL, thinking, signature))
    throw badMessage(`${path}: Invalid \`signature\` in \`thinking\` block`);
}

function readResult(block: Reader, rules: BlockRules, plain: Block): Block {
  const toolId = readToolId(block, 'tool_use_id');
  const isError = block.optionalBoolean('is_error') ?? false;
  const { content } = block.value;
  if (content === undefined || typeof content === 'string') return { ...plain, text: content ?? '', toolId, isError };
  block.array('content');
  const inner = block.objects('content').map((item) => readBlock(item, RESULT_TYPES, rules));
  return {
    ...plain,
    text: inner
      .map((item) => item.text)
      .filter((text) => text !== '')
      .join('\n'),
    images: inner.reduce((sum, item) => sum + item.images, 0),
    documents: inner.reduce((sum, item) => sum + item.documents, 0),
    toolId,
    isError,
  };
}

function readSearchResult(block: Reader, path: string): void {
  if (!Array.isArray(block.value['content'])) return;
  for (const result of block.objects('content')) {
    if (isSealed(SEARCH_SEAL, result.string('url'), result.string('encrypted_content'))) continue;
    throw badMessage(`${path}: Invalid \`encrypted_content\` in \`web_search_result\` block`);
  }
}
