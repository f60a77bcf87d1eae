/**
 * Writes the tables of docs/guides/fidelity.md by asking the translator itself: each feature is sent from each format to each other
 * one, and what comes out, is named as dropped, or is refused, is what the table says. With --check it only says whether they are current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIALECT_NAMES, type ChatFormat, type Json, type JsonObject } from '@model-gateway/contracts';
import { openai } from '@model-gateway/provider-openai';
import { dialects, type Target } from '@model-gateway/translate';
import { parse } from 'yaml';
import { formatted } from './format.ts';

const PAGE = fileURLToPath(new URL('../../docs/guides/fidelity.md', import.meta.url));
const EXCEPTIONS = new URL('../../spec/pass-through-exceptions.yaml', import.meta.url);
const START = '<!-- tables: written by tools/docs/fidelity.ts -->';

export type Outcome =
  | { readonly kind: 'carried' }
  | { readonly kind: 'named'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

const NAMES: Readonly<Record<ChatFormat, string>> = {
  'openai-chat': 'chat completions',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  'gemini-generate': 'generateContent',
};
/** What OpenAI itself has, as its adapter declares it. */
const OPENAI = { model: 'm', provider: 'openai', maxOutputTokens: 64_000, quirks: openai.declares.chatQuirks ?? {} };
const TARGETS: Readonly<Record<ChatFormat, Target>> = {
  'openai-chat': OPENAI,
  'openai-responses': OPENAI,
  // As the catalogue's claude-sonnet-4-5.
  'anthropic-messages': { model: 'm', provider: 'anthropic', maxOutputTokens: 64_000, quirks: { thinking: 'budget' } },
  'gemini-generate': { model: 'm', provider: 'gemini', maxOutputTokens: 64_000 },
};

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQAAAAA=';
const PDF = 'JVBERi0xLjQKJSVFT0YK';
const LINK = 'https://media.example.com/picture.png';
const SCHEMA: JsonObject = {
  type: 'object',
  properties: { harbour: { type: 'string' } },
  required: ['harbour'],
  additionalProperties: false,
};
const HELLO = 'Hello';

/** What is added to the plainest body of a format; a format that cannot say it has none. */
type Probe = Partial<Record<ChatFormat, JsonObject>>;

const user = {
  chat: (...content: Json[]): JsonObject => ({ messages: [{ role: 'user', content }] }),
  responses: (...content: Json[]): JsonObject => ({ input: [{ role: 'user', content }] }),
  gemini: (...parts: Json[]): JsonObject => ({ contents: [{ role: 'user', parts }] }),
};
const tools: Required<Probe> = {
  'openai-chat': { tools: [{ type: 'function', function: { name: 'tide', parameters: SCHEMA } }] },
  'openai-responses': { tools: [{ type: 'function', name: 'tide', parameters: SCHEMA, strict: false }] },
  'anthropic-messages': { tools: [{ name: 'tide', input_schema: SCHEMA }] },
  'gemini-generate': { tools: [{ functionDeclarations: [{ name: 'tide', parametersJsonSchema: SCHEMA }] }] },
};
const config = (generationConfig: JsonObject): JsonObject => ({ generationConfig });

const FEATURES: readonly (readonly [string, Probe])[] = [
  [
    'system instruction',
    {
      'openai-chat': {
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: HELLO },
        ],
      },
      'openai-responses': { instructions: 'Be brief' },
      'anthropic-messages': { system: 'Be brief' },
      'gemini-generate': { systemInstruction: { parts: [{ text: 'Be brief' }] } },
    },
  ],
  [
    'image, Base64',
    {
      'openai-chat': user.chat({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }),
      'openai-responses': user.responses({ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }),
      'anthropic-messages': user.chat({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: PNG },
      }),
      'gemini-generate': user.gemini({ inlineData: { mimeType: 'image/png', data: PNG } }),
    },
  ],
  [
    'image, web address',
    {
      'openai-chat': user.chat({ type: 'image_url', image_url: { url: LINK } }),
      'openai-responses': user.responses({ type: 'input_image', image_url: LINK }),
      'anthropic-messages': user.chat({ type: 'image', source: { type: 'url', url: LINK } }),
      'gemini-generate': user.gemini({ fileData: { mimeType: 'image/png', fileUri: LINK } }),
    },
  ],
  [
    'PDF',
    {
      'openai-chat': user.chat({ type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}` } }),
      'openai-responses': user.responses({ type: 'input_file', file_data: `data:application/pdf;base64,${PDF}` }),
      'anthropic-messages': user.chat({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: PDF },
      }),
      'gemini-generate': user.gemini({ inlineData: { mimeType: 'application/pdf', data: PDF } }),
    },
  ],
  [
    'sound in',
    {
      'openai-chat': user.chat({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }),
      'gemini-generate': user.gemini({ inlineData: { mimeType: 'audio/wav', data: WAV } }),
    },
  ],
  ['tools', tools],
  [
    'a tool must be called',
    {
      'openai-chat': { ...tools['openai-chat'], tool_choice: 'required' },
      'openai-responses': { ...tools['openai-responses'], tool_choice: 'required' },
      'anthropic-messages': { ...tools['anthropic-messages'], tool_choice: { type: 'any' } },
      'gemini-generate': { ...tools['gemini-generate'], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    },
  ],
  [
    'one call at a time',
    {
      'openai-chat': { ...tools['openai-chat'], parallel_tool_calls: false },
      'openai-responses': { ...tools['openai-responses'], parallel_tool_calls: false },
      'anthropic-messages': {
        ...tools['anthropic-messages'],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    },
  ],
  [
    'strict tool arguments',
    {
      'openai-chat': { tools: [{ type: 'function', function: { name: 'tide', parameters: SCHEMA, strict: true } }] },
      'openai-responses': { tools: [{ type: 'function', name: 'tide', parameters: SCHEMA, strict: true }] },
      'anthropic-messages': { tools: [{ name: 'tide', input_schema: SCHEMA, strict: true }] },
    },
  ],
  [
    'web search',
    {
      'openai-chat': { web_search_options: {} },
      'openai-responses': { tools: [{ type: 'web_search' }] },
      'anthropic-messages': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'gemini-generate': { tools: [{ googleSearch: {} }] },
    },
  ],
  [
    'JSON schema of the answer',
    {
      'openai-chat': { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } } },
      'openai-responses': { text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA } } },
      'anthropic-messages': { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
      'gemini-generate': config({ responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
    },
  ],
  [
    'reasoning effort',
    {
      'openai-chat': { reasoning_effort: 'high' },
      'openai-responses': { reasoning: { effort: 'high' } },
      'anthropic-messages': { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      'gemini-generate': config({ thinkingConfig: { thinkingLevel: 'high' } }),
    },
  ],
  [
    'thinking budget',
    {
      'anthropic-messages': { max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 4000 } },
      'gemini-generate': config({ thinkingConfig: { thinkingBudget: 4000 } }),
    },
  ],
  [
    'temperature',
    {
      'openai-chat': { temperature: 0.5 },
      'openai-responses': { temperature: 0.5 },
      'anthropic-messages': { temperature: 0.5 },
      'gemini-generate': config({ temperature: 0.5 }),
    },
  ],
  [
    'top_p',
    {
      'openai-chat': { top_p: 0.5 },
      'openai-responses': { top_p: 0.5 },
      'anthropic-messages': { top_p: 0.5 },
      'gemini-generate': config({ topP: 0.5 }),
    },
  ],
  ['top_k', { 'anthropic-messages': { top_k: 20 }, 'gemini-generate': config({ topK: 20 }) }],
  [
    'stop sequences',
    {
      'openai-chat': { stop: ['END'] },
      'anthropic-messages': { stop_sequences: ['END'] },
      'gemini-generate': config({ stopSequences: ['END'] }),
    },
  ],
  ['seed', { 'openai-chat': { seed: 7 }, 'gemini-generate': config({ seed: 7 }) }],
  ['penalties', { 'openai-chat': { presence_penalty: 0.5 }, 'gemini-generate': config({ presencePenalty: 0.5 }) }],
  ['several answers', { 'openai-chat': { n: 3 }, 'gemini-generate': config({ candidateCount: 3 }) }],
  [
    'log probabilities',
    {
      'openai-chat': { logprobs: true, top_logprobs: 2 },
      'openai-responses': { include: ['message.output_text.logprobs'], top_logprobs: 2 },
      'gemini-generate': config({ responseLogprobs: true, logprobs: 2 }),
    },
  ],
  [
    'cache marks',
    {
      'anthropic-messages': { system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }] },
    },
  ],
  [
    'user label',
    {
      'openai-chat': { user: 'u-7' },
      'openai-responses': { user: 'u-7' },
      'anthropic-messages': { metadata: { user_id: 'u-7' } },
    },
  ],
  ['metadata', { 'openai-chat': { metadata: { job: '7' } }, 'openai-responses': { metadata: { job: '7' } } }],
  ['earlier response by id', { 'openai-responses': { previous_response_id: 'resp_7' } }],
  ['cached content by name', { 'gemini-generate': { cachedContent: 'cachedContents/7' } }],
  [
    'a field nobody knows',
    {
      'openai-chat': { brand_new: 1 },
      'openai-responses': { brand_new: 1 },
      'anthropic-messages': { brand_new: 1 },
      'gemini-generate': { brandNew: 1 },
    },
  ],
];

const PLAIN: Readonly<Record<ChatFormat, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: HELLO }] },
  'openai-responses': { model: 'm', input: HELLO },
  'anthropic-messages': { model: 'm', max_tokens: 1024, messages: [{ role: 'user', content: HELLO }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: HELLO }] }] },
};

/** What becomes of a feature on its way from one format to another; undefined when the first cannot say it. */
export function outcomeOf(probe: Probe, from: ChatFormat, to: ChatFormat): Outcome | undefined {
  const extra = probe[from];
  if (extra === undefined) return undefined;
  const request = dialects[from].decodeRequest({ ...PLAIN[from], ...extra }, { model: 'm', stream: false });
  try {
    const { dropped } = dialects[to].encodeRequest(request, TARGETS[to]);
    const [first] = dropped;
    return first === undefined ? { kind: 'carried' } : { kind: 'named', reason: first.reason };
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

const MARKS: Readonly<Record<Outcome['kind'], string>> = { carried: '✓', named: 'named', refused: '400' };

/** The tables as Markdown. */
export function tables(): string {
  return DIALECT_NAMES.map((from) => {
    const others = DIALECT_NAMES.filter((to) => to !== from);
    const rows = FEATURES.flatMap(([name, probe]) => {
      const outcomes = others.map((to) => outcomeOf(probe, from, to));
      if (outcomes.every((outcome) => outcome === undefined)) return [];
      const cells = outcomes.map((outcome) =>
        outcome === undefined
          ? ''
          : outcome.kind === 'named'
            ? `${MARKS.named}: ${outcome.reason}`
            : MARKS[outcome.kind],
      );
      return [`| ${[name, ...cells].join(' | ')} |`];
    });
    return [
      `## From ${NAMES[from]}`,
      '',
      `| Your request has | to ${others.map((to) => NAMES[to]).join(' | to ')} |`,
      `| --- | ${others.map(() => '---').join(' | ')} |`,
      ...rows,
    ].join('\n');
  }).join('\n\n');
}

/** The page with its tables as they are now. */
export function currentPage(page: string): string {
  const at = page.indexOf(START);
  if (at === -1) throw new Error(`docs/guides/fidelity.md has no line ${START}`);
  return `${page.slice(0, at)}${START}\n\n${exceptionsTable()}\n\n${tables()}\n`;
}

/** Something that does not pass as it came between a client and a vendor of the same format. */
interface Exception {
  readonly of: 'requests' | 'answers';
  readonly what: string;
  readonly becomes: string;
  readonly reason: string;
}

function exceptionsTable(): string {
  const rows = parse(readFileSync(EXCEPTIONS, 'utf8')) as readonly Exception[];
  const lines = rows.map(({ of, what, becomes, reason }) => `| ${of} | ${what} | ${becomes} | ${reason} |`);
  return ['## The same format', '', '| Of | What | Becomes | Because |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(PAGE, 'utf8');
  const after = await formatted(PAGE, currentPage(before));
  if (!process.argv.includes('--check')) writeFileSync(PAGE, after);
  else if (before !== after) {
    console.error(
      'docs/guides/fidelity.md does not say what the translator does. Run: npx node tools/docs/fidelity.ts',
    );
    process.exit(1);
  }
}
