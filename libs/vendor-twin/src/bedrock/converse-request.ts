import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { isSealed } from '../core/auth.ts';
import type { Reader } from '../core/reader.ts';
import type { Talk, TalkTool, ToolResult, Turn } from '../chat/talk.ts';
import { refuseAsAws, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(
  (
    'messages system inferenceConfig toolConfig additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig ' +
    'performanceConfig requestMetadata promptVariables serviceTier outputConfig'
  ).split(' '),
);
const BLOCKS = 'text image document video toolUse toolResult reasoningContent cachePoint guardContent'.split(' ');
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^[A-Za-z0-9 ()[\]-]{1,200}$/;
export const REASONING_SEAL = 'bedrock-reasoning';

export interface ConverseOrder {
  readonly talk: Talk;
  readonly guarded: boolean;
  /** Whether a cache point stands anywhere. */
  readonly caches: boolean;
}

/** Reads a Converse request as strictly as the vendor does. */
export function readConverse(body: Reader, model: string): ConverseOrder {
  refuseUnknownModel(model);
  body.only(FIELDS);
  const state: ReadState = { calls: new Map(), documents: new Set(), caches: false };
  const turns = body.objects('messages').map((message) => readMessage(message, state));
  if (turns.length === 0) throw refuse('A conversation must start with a user message.');
  if (turns[0]?.role !== 'user')
    throw refuse(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  turns.forEach(({ role }, index) => {
    if (index > 0 && turns[index - 1]?.role === role)
      throw refuse(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
  });
  const system = body.objects('system').map((block) => readSystem(block, state));
  const inference = body.optionalObject('inferenceConfig');
  inference?.only(new Set(['maxTokens', 'temperature', 'topP', 'stopSequences']));
  inference?.optionalNumber('temperature', 0, 1);
  inference?.optionalNumber('topP', 0, 1);
  const mostTokens = inference?.optionalInteger('maxTokens', 1);
  const stop = inference?.strings('stopSequences') ?? [];
  if (stop.length > 4) throw refuse('stopSequences: at most 4');
  const { tools, choice } = readTools(body.optionalObject('toolConfig'));
  if (tools.length === 0 && state.calls.size > 0)
    throw refuse('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  const extra = body.optionalObject('additionalModelRequestFields')?.value ?? {};
  return {
    talk: {
      model,
      system: system.join('\n'),
      turns,
      tools,
      choice,
      parallel: true,
      format: 'text',
      thinks: isJsonObject(extra['thinking']) || extra['reasoning_effort'] !== undefined,
      ...(mostTokens !== undefined && { mostTokens }),
      stop,
      search: false,
    },
    guarded: body.has('guardrailConfig'),
    caches: state.caches,
  };
}

interface ReadState {
  /** Names of calls by their ids. */
  readonly calls: Map<string, string>;
  readonly documents: Set<string>;
  caches: boolean;
}

function readMessage(message: Reader, state: ReadState): Turn {
  message.only(new Set(['role', 'content']));
  const role = message.oneOf('role', ['user', 'assistant'] as const);
  const content = message.objects('content');
  if (content.length === 0)
    throw refuse(
      'The content field in the Message object is empty. Add a ContentBlock object to the content field and try again.',
    );
  const texts: string[] = [];
  const results: ToolResult[] = [];
  let [images, documents] = [0, 0];
  for (const block of content) {
    const kind = kindOf(block);
    if (kind === 'text') texts.push(readText(block));
    if (kind === 'image') images += readImage(block.object('image'));
    if (kind === 'document') documents += readDocument(block.object('document'), state);
    if (kind === 'toolUse') readCall(block.object('toolUse'), role, state);
    if (kind === 'toolResult') results.push(readResult(block.object('toolResult'), role, state));
    if (kind === 'reasoningContent') readReasoning(block.object('reasoningContent'), role);
    if (kind === 'cachePoint') readCachePoint(block, state);
  }
  return { role, text: texts.join('\n'), images, documents, audios: 0, results };
}

function kindOf(block: Reader): string {
  const kinds = Object.keys(block.value);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1 || !BLOCKS.includes(kind))
    throw refuse(
      `The ContentBlock object at ${block.path.join('.')} must set one of the following keys: ${BLOCKS.join(', ')}.`,
    );
  return kind;
}

function readText(block: Reader): string {
  const text = block.optionalString('text') ?? '';
  if (text === '')
    throw refuse(
      `The text field in the ContentBlock object at ${block.path.join('.')} is blank. Add text to the text field, and try again.`,
    );
  return text;
}

function readImage(image: Reader): 1 {
  image.oneOf('format', ['png', 'jpeg', 'gif', 'webp'] as const);
  const source = image.object('source');
  if (source.has('s3Location')) return 1;
  requireBase64(source.string('bytes'), 'The image');
  return 1;
}

function readDocument(document: Reader, state: ReadState): 1 {
  document.oneOf('format', ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'] as const);
  const name = document.string('name');
  if (!DOCUMENT_NAME.test(name) || / {2,}/.test(name))
    throw refuse(
      'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can’t contain more than one consecutive whitespace character.',
    );
  if (state.documents.has(name)) throw refuse('Documents in a request must have different names.');
  state.documents.add(name);
  requireBase64(document.object('source').string('bytes'), 'The document');
  return 1;
}

function readCall(call: Reader, role: Turn['role'], { calls }: ReadState): void {
  if (role !== 'assistant') throw refuse('toolUse blocks belong to the assistant.');
  const id = call.string('toolUseId');
  const name = call.string('name');
  if (!NAME.test(id) || !NAME.test(name)) throw refuse('Names and ids of tools must match [a-zA-Z0-9_-]{1,64}.');
  if (!isJsonObject(call.value['input']))
    throw refuse(
      'The format of the value at toolUse.input is invalid. Provide a json object for the field and try again.',
    );
  calls.set(id, name);
}

function readResult(result: Reader, role: Turn['role'], { calls }: ReadState): ToolResult {
  if (role !== 'user') throw refuse('toolResult blocks belong to the user.');
  result.only(new Set(['toolUseId', 'content', 'status']));
  const name = calls.get(result.string('toolUseId'));
  if (name === undefined)
    throw refuse('The number of toolResult blocks at messages exceeds the number of toolUse blocks of previous turn.');
  const content = result.objects('content');
  if (content.length === 0) throw refuse('The content field of a toolResult is empty.');
  const text = content
    .map((each) => (each.has('json') ? JSON.stringify(each.value['json']) : each.has('text') ? readText(each) : ''))
    .join('\n');
  return { name, text, isError: result.optionalOneOf('status', ['success', 'error'] as const) === 'error' };
}

function readReasoning(reasoning: Reader, role: Turn['role']): void {
  if (role !== 'assistant') throw refuse('reasoningContent belongs to the assistant.');
  if (reasoning.has('redactedContent')) return;
  const text = reasoning.object('reasoningText');
  const signature = text.optionalString('signature');
  if (signature !== undefined && !isSealed(REASONING_SEAL, text.optionalString('text') ?? '', signature))
    throw refuse('Invalid signature in reasoningText.');
}

function readSystem(block: Reader, state: ReadState): string {
  if (!block.has('cachePoint')) return readText(block);
  readCachePoint(block, state);
  return '';
}

function readCachePoint(block: Reader, state: ReadState): void {
  const point = block.object('cachePoint');
  point.oneOf('type', ['default'] as const);
  point.optionalOneOf('ttl', ['5m', '1h'] as const);
  state.caches = true;
}

function readTools(config: Reader | undefined): { readonly tools: TalkTool[]; readonly choice: Talk['choice'] } {
  if (config === undefined) return { tools: [], choice: 'none' };
  const listed = config.objects('tools').filter((tool) => !tool.has('cachePoint'));
  if (listed.length === 0) throw refuse('The toolConfig.tools field must have at least one tool.');
  const tools = listed.map((tool): TalkTool => {
    const spec = tool.object('toolSpec');
    spec.only(new Set(['name', 'description', 'inputSchema', 'strict']));
    const name = spec.string('name');
    if (!NAME.test(name)) throw refuse(`The name ${name} must match [a-zA-Z0-9_-]{1,64}.`);
    if (spec.has('description')) spec.string('description');
    const schema: JsonObject = spec.object('inputSchema').object('json').value;
    if (schema['type'] !== 'object')
      throw refuse('The value at toolSpec.inputSchema.json.type must be one of the following: object.');
    return { name, schema };
  });
  const choice = config.optionalObject('toolChoice');
  if (choice?.has('any') === true) return { tools, choice: 'required' };
  if (choice?.has('tool') === true) return { tools, choice: [choice.object('tool').string('name')] };
  return { tools, choice: 'auto' };
}

function requireBase64(text: string, what: string): void {
  if (!/^[A-Za-z0-9+/]+=*$/.test(text.slice(0, 4096))) throw refuse(`${what} is no base64.`);
}

function refuse(message: string) {
  return refuseAsAws(400, { message });
}
