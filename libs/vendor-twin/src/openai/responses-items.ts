import { bracketed, type Reader } from '../core/reader.ts';
import { Recent, perStage, type Stage } from '../core/stage.ts';
import { isSealed, seal } from '../core/auth.ts';
import { plainTurn, type ToolResult, type Turn } from '../chat/talk.ts';
import { badRequest, requireImageUrl } from './errors.ts';

/** What the vendor keeps of an answer: for `previous_response_id`, item references and replayed items. */
export interface StoredResponse {
  readonly body: Record<string, unknown>;
  /** Everything said up to and including this answer. */
  readonly turns: readonly Turn[];
  readonly calls: ReadonlyMap<string, string>;
}

interface Memory {
  readonly responses: Recent<StoredResponse>;
  /** Ids of reasoning items that were kept on the server. */
  readonly reasoning: Recent<true>;
  /** A call's item id to the reasoning item it must not be parted from. */
  readonly needs: Recent<string>;
}

export const memoryOf: (stage: Stage) => Memory = perStage(() => ({
  responses: new Recent<StoredResponse>(2000),
  reasoning: new Recent<true>(),
  needs: new Recent<string>(),
}));

const REASONING_SEAL = 'openai-reasoning';

/** Encrypted reasoning. It knows its item: with `store: false` clients send it back without the item's id. */
export function encryptReasoning(itemId: string): string {
  return Buffer.from(`${itemId} ${seal(REASONING_SEAL, itemId)}`).toString('base64');
}

/** The item that encrypted reasoning belongs to; undefined when it is not ours or was damaged. */
function itemOfEncrypted(encrypted: string): string | undefined {
  const [itemId = '', sealed = ''] = Buffer.from(encrypted, 'base64').toString().split(' ');
  return encryptReasoning(itemId) === encrypted && isSealed(REASONING_SEAL, itemId, sealed) ? itemId : undefined;
}

export interface Conversation {
  readonly system: string;
  readonly turns: readonly Turn[];
  /** Open and answered calls, by call id. */
  readonly calls: ReadonlyMap<string, string>;
}

const HOSTED =
  /^(web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_\w+|computer_call|computer_call_output|local_shell_call|local_shell_call_output|shell_call|shell_call_output|apply_patch_call|apply_patch_call_output|compaction|additional_tools|configuration_update)$/;

/** Reads `input`: a text, or items whose calls and results must fit together. */
export function readInput(body: Reader, before: StoredResponse | undefined, stage: Stage): Conversation {
  const calls = new Map(before?.calls);
  const input = body.value['input'];
  const turns: Turn[] = [...(before?.turns ?? [])];
  if (typeof input === 'string') return { system: '', turns: [...turns, plainTurn('user', input)], calls };
  if (input === undefined || input === null) {
    if (before === undefined) body.fail('input', 'a string or an array', 'missing');
    return { system: '', turns, calls };
  }
  if (!Array.isArray(input)) body.fail('input', 'a string or an array', 'type');
  const model = body.value['model'];
  const isRelative = typeof model === 'string' && model.startsWith('grok');
  const reader = new ItemReader(calls, turns, memoryOf(stage), isRelative);
  body.objects('input').forEach((item, index, all) => reader.read(item, all[index + 1]));
  reader.finish();
  return { system: reader.system.join('\n\n'), turns, calls };
}

class ItemReader {
  readonly system: string[] = [];
  readonly #calls: Map<string, string>;
  readonly #turns: Turn[];
  readonly #memory: Memory;
  readonly #unanswered = new Set<string>();
  readonly #reasoningIds = new Set<string>();
  /** xAI takes any id of a call or message: its provider of the AI SDK sends the id that the call has among its results. */
  readonly #takesAnyId: boolean;

  constructor(calls: Map<string, string>, turns: Turn[], memory: Memory, takesAnyId: boolean) {
    this.#calls = calls;
    this.#turns = turns;
    this.#memory = memory;
    this.#takesAnyId = takesAnyId;
  }

  read(item: Reader, next: Reader | undefined): void {
    const type = item.optionalString('type') ?? 'message';
    switch (type) {
      case 'message':
        this.#message(item);
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.#call(item, type);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#output(item);
        return;
      case 'reasoning':
        this.#reasoning(item, next);
        return;
      case 'item_reference':
        requirePrefix(item, ['rs', 'fc', 'msg', 'ctc', 'ws']);
        return;
      default:
        if (!HOSTED.test(type)) item.fail('type', 'a known kind of item');
    }
  }

  finish(): void {
    for (const id of this.#unanswered) {
      throw badRequest(`No tool output found for function call ${id}.`, 'input');
    }
  }

  #message(item: Reader): void {
    const role = item.oneOf('role', ['user', 'assistant', 'system', 'developer'] as const);
    if (role === 'assistant' && !this.#takesAnyId) requirePrefix(item, ['msg']);
    const found = readParts(item, role === 'assistant' ? OUTPUT_PARTS : INPUT_PARTS);
    if (role === 'user' || role === 'assistant') this.#turns.push({ role, results: [], ...found });
    else this.system.push(found.text);
  }

  #call(item: Reader, type: 'function_call' | 'custom_tool_call'): void {
    if (!this.#takesAnyId) requirePrefix(item, [type === 'function_call' ? 'fc' : 'ctc']);
    const id = item.string('call_id', 64);
    const text = item.optionalString(type === 'function_call' ? 'arguments' : 'input');
    if (text === undefined) item.fail(type === 'function_call' ? 'arguments' : 'input', 'a string', 'missing');
    const needed = this.#memory.needs.get(item.optionalString('id') ?? '');
    if (needed !== undefined && !this.#reasoningIds.has(needed)) {
      const message = `Item '${item.string('id')}' of type '${type}' was provided without its required 'reasoning' item: '${needed}'.`;
      throw badRequest(message, 'input');
    }
    this.#calls.set(id, item.string('name'));
    this.#unanswered.add(id);
    this.#turns.push(plainTurn('assistant', ''));
  }

  #output(item: Reader): void {
    const id = item.string('call_id', 64);
    const name = this.#calls.get(id);
    if (name === undefined)
      throw badRequest(`No tool call found for function call output with call_id ${id}.`, 'input');
    this.#unanswered.delete(id);
    const output = item.value['output'];
    if (typeof output !== 'string' && !Array.isArray(output))
      item.fail('output', 'a string or an array of parts', 'missing');
    const { text, images } =
      typeof output === 'string' ? { text: output, images: 0 } : readParts(item, INPUT_PARTS, 'output');
    this.#result({ name, text, isError: false }, images);
  }

  /** Results of one round stand together, and before them nothing but their calls. */
  #result(result: ToolResult, images: number): void {
    const last = this.#turns.at(-1);
    if (last === undefined || last.results.length === 0) {
      this.#turns.push({ ...plainTurn('user', ''), images, results: [result] });
    } else {
      this.#turns[this.#turns.length - 1] = {
        ...last,
        images: last.images + images,
        results: [...last.results, result],
      };
    }
  }

  #reasoning(item: Reader, next: Reader | undefined): void {
    requirePrefix(item, ['rs']);
    const encrypted = item.optionalString('encrypted_content');
    const sealedFor = encrypted === undefined ? undefined : itemOfEncrypted(encrypted);
    const id = item.optionalString('id') ?? sealedFor ?? '';
    item.array('summary');
    if (encrypted !== undefined && sealedFor !== id) {
      const message = `The encrypted content for item ${id} could not be verified.`;
      throw badRequest(message, `${bracketed(item.path)}.encrypted_content`, 'invalid_encrypted_content');
    }
    if (encrypted === undefined && this.#memory.reasoning.get(id) === undefined) {
      const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
      throw badRequest(message, 'input');
    }
    if (next === undefined || next.value['role'] === 'user' || next.value['type'] === 'function_call_output') {
      const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      throw badRequest(message, 'input');
    }
    this.#reasoningIds.add(id);
  }
}

function requirePrefix(item: Reader, prefixes: readonly string[]): void {
  const id = item.optionalString('id');
  if (id === undefined || prefixes.some((prefix) => id.startsWith(prefix))) return;
  const at = `${bracketed(item.path)}.id`;
  throw badRequest(
    `Invalid '${at}': '${id}'. Expected an ID that begins with '${prefixes.join("' or '")}'.`,
    at,
    'invalid_value',
  );
}

type PartType = 'input_text' | 'input_image' | 'input_file' | 'input_audio' | 'output_text' | 'refusal';
const INPUT_PARTS: readonly PartType[] = ['input_text', 'input_image', 'input_file', 'input_audio'];
const OUTPUT_PARTS: readonly PartType[] = ['output_text', 'refusal'];

function readParts(
  item: Reader,
  types: readonly PartType[],
  field = 'content',
): Pick<Turn, 'text' | 'images' | 'documents' | 'audios'> {
  const content = item.value[field];
  if (typeof content === 'string') return { text: content, images: 0, documents: 0, audios: 0 };
  const text: string[] = [];
  const seen = { images: 0, documents: 0, audios: 0 };
  item.array(field);
  for (const part of item.objects(field)) {
    const type = part.oneOf('type', types);
    switch (type) {
      case 'input_text':
      case 'output_text':
        text.push(part.optionalString('text') ?? part.fail('text', 'a string', 'missing'));
        break;
      case 'refusal':
        text.push(part.string('refusal'));
        break;
      case 'input_image':
        readImage(part);
        seen.images += 1;
        break;
      case 'input_file':
        if (!part.has('file_id') && !part.has('file_data') && !part.has('file_url'))
          part.fail('file_id', 'a file', 'missing');
        seen.documents += 1;
        break;
      case 'input_audio':
        part.object('input_audio').string('data');
        seen.audios += 1;
        break;
    }
  }
  return { text: text.join('\n'), ...seen };
}

function readImage(part: Reader): void {
  part.optionalOneOf('detail', ['auto', 'low', 'high', 'original'] as const);
  if (part.has('file_id')) return;
  // The one place where chat-completions nests and Responses does not.
  if (part.has('image_url') && typeof part.value['image_url'] !== 'string') part.fail('image_url', 'a string', 'type');
  requireImageUrl(part.string('image_url'), `${bracketed(part.path)}.image_url`);
}
