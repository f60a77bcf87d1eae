/**
 * What a caller reads when a chat request is refused, sentence by sentence, over all pairs of dialects. Written and read by hand: it names the
 * caller's own field, says what would be right, and speaks of no other wire. Where the vendor has the last word, it says that too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

/** Models by the wire their vendor is asked on; D is one that takes and writes text only. */
const MODELS = { D: 'deepseek-chat', C: 'gpt-5.2', M: 'claude-sonnet-5', G: 'gemini-3.1-pro' } as const;
type To = keyof typeof MODELS;
/** The field that a sentence begins with, or that OpenAI quotes in its own. */
const fieldOf = (says: string): string | undefined =>
  /^Invalid value for '([^']+)'/.exec(says)?.[1] ?? /^[^\s:]+/.exec(says)?.[0];
/** The request; to whom; what is told. */
type Row = readonly [body: JsonObject, to: string, says: string];

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HI = [{ role: 'user', content: 'hi' }];
const OWN_VENDOR = 'is run by its own vendor, which does not serve this model; leave it out';
const THEIR_WORDS = 'the vendor refused the request, in the words of its own format:';

const user = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const wav = { data: 'UklGRgAAAABXQVZF', format: 'wav' };
const orphan = { role: 'tool', tool_call_id: 'call_9', content: 'x' };
const fn = (more: JsonObject): JsonObject => ({ type: 'function', function: { name: 'f', ...more } });

const CHAT: readonly Row[] = [
  [{ messages: null }, 'DCMG', 'messages must be an array'],
  [{ messages: [] }, 'DCMG', 'messages must have 1 item or more'],
  [{ messages: ['hi'] }, 'DCMG', 'messages[0] must be an object'],
  [{ messages: [{ content: 'x' }] }, 'DCMG', 'messages[0].role is missing'],
  [
    { messages: [{ role: 'robot', content: 'x' }] },
    'MG',
    'messages[0].role: must be one of system, developer, user, assistant, tool, not "robot"',
  ],
  [
    { messages: [{ role: 'robot', content: 'x' }] },
    'DC',
    "Invalid value for 'messages[0].role': expected one of developer, system, user, assistant, tool, function.",
  ],
  [{ messages: [{ role: 'user', content: 5 }] }, 'DCMG', 'messages[0].content must be a string, an array or null'],
  [{ messages: [{ role: 'user', content: ['x'] }] }, 'DCMG', 'messages[0].content[0] must be an object'],
  [{ messages: [{ role: 'user' }] }, 'MG', 'messages[0].content: is missing; send a string or an array of parts'],
  [{ messages: [{ role: 'user', content: '' }] }, 'MG', 'messages: must hold at least one message that says something'],
  [
    user({ type: 'smell' }),
    'MG',
    'messages[0].content[0].type: must be one of text, image_url, input_audio, file, video_url, not "smell"',
  ],
  [user({ type: 'image_url' }), 'MG', 'messages[0].content[0].image_url: is missing; send an object'],
  [
    user({ type: 'image_url', image_url: { url: 'a cat' } }),
    'MG',
    'messages[0].content[0].image_url.url: must be a URL (https://…) or a data URL (data:image/png;base64,…)',
  ],
  [
    user({ type: 'image_url', image_url: { url: 'data:image/png;base64,%%' } }),
    'MG',
    'messages[0].content[0].image_url.url: is a data URL whose data is not base64',
  ],
  [
    user({ type: 'image_url', image_url: { url: 'ftp://x.test/a.png' } }),
    'M',
    'messages[0].content[0]: must have an address that begins with https:// or http://',
  ],
  [
    user({ type: 'image_url', image_url: { url: 'data:image/bmp;base64,Qk0=' } }),
    'M',
    'messages[0].content[0]: is image/bmp; this model takes JPEG, PNG, GIF and WebP images',
  ],
  [
    user({ type: 'input_audio', input_audio: wav }),
    'M',
    'messages[0].content[0]: this model takes no audio; send a transcript as text',
  ],
  [
    user({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }),
    'M',
    'messages[0].content[0]: this model takes no video; send single frames as images',
  ],
  [
    user({ type: 'file', file: { file_id: 'file-1' } }),
    'DCMG',
    "messages[0].content[0].file.file_id: 'file-1' was not found; it must come from an answer to one of your keys",
  ],
  [
    { messages: [...HI, orphan] },
    'MG',
    'messages[1]: answers tool call "call_9", but no open call before it has that id',
  ],
  [{ tools: 'x' }, 'DCMG', 'tools must be an array or null'],
  [{ tools: [{ type: 'code_interpreter' }] }, 'MG', `tools[0]: the tool "code_interpreter" ${OWN_VENDOR}`],
  [
    { tools: [fn({ parameters: 'x' })] },
    'MG',
    'tools[0].function.parameters: must be a JSON Schema of type "object", not a string',
  ],
  [
    { tools: [fn({ parameters: { type: 'string' } })] },
    'MG',
    'tools[0].function.parameters: must be a JSON Schema of type "object", not "string"',
  ],
  [{ tools: [fn({}), fn({})] }, 'MG', 'tools[1].function: has the name "f", as a tool before it has'],
  [
    { tools: [fn({})], tool_choice: 'maybe' },
    'MG',
    'tool_choice: must be one of "auto", "none", "required", not "maybe"',
  ],
  [
    { tools: [fn({})], tool_choice: { type: 'function', function: { name: 'g' } } },
    'MG',
    'tool_choice: names the tool "g", which is not among tools',
  ],
  [
    { response_format: { type: 'xml' } },
    'MG',
    'response_format.type: must be one of "text", "json_object", "json_schema", not "xml"',
  ],
  [{ response_format: { type: 'json_schema' } }, 'MG', 'response_format.json_schema: is missing; send an object'],
  [{ n: 'two' }, 'DCMG', 'n must be a whole number or null'],
  [{ n: 0 }, 'MG', 'n: must be 1 or more, not 0'],
  [{ n: 2 }, 'M', 'n: this model gives one answer to a request; send the request several times'],
  [{ stream: 'yes' }, 'DCMG', 'stream must be true, false or null'],
  [{ stop: [5] }, 'DCMG', 'stop[0] must be a string'],
  [{ max_tokens: 0 }, 'MG', 'max_tokens: must be 1 or more, not 0'],
  [{ max_completion_tokens: 0 }, 'MG', 'max_completion_tokens: must be 1 or more, not 0'],
  [{ temperature: 5 }, 'MG', 'temperature: must be between 0 and 2, not 5'],
  [{ top_p: 3 }, 'MG', 'top_p: must be between 0 and 1, not 3'],
  [{ presence_penalty: 9 }, 'MG', 'presence_penalty: must be between -2 and 2, not 9'],
  [{ logprobs: true }, 'M', 'logprobs: this model reports no log probabilities; leave it out'],
  [{ logprobs: true, top_logprobs: 50 }, 'G', 'top_logprobs: must be between 0 and 20, not 50'],
  [
    { reasoning_effort: 'huge' },
    'MG',
    'reasoning_effort: must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max", not "huge"',
  ],
  [
    { modalities: ['text', 'audio'], audio: { voice: 'alloy' } },
    'M',
    'modalities: this model writes no audio; ask for text only',
  ],
  [{ modalities: ['text', 'image'] }, 'M', 'modalities: this model writes no image; ask for text only'],
  [
    { modalities: ['text', 'image'] },
    'G',
    `${THEIR_WORDS} Model does not support the requested response modalities: text,image`,
  ],
  [
    { messages: [...HI, { role: 'assistant', content: 'I am' }] },
    'M',
    'messages[1]: this model does not go on with a message of the assistant; end with one of the user',
  ],
];

const input = (...content: JsonObject[]): JsonObject => ({ input: [{ role: 'user', content }] });
const RESPONSES: readonly Row[] = [
  [{ input: 5 }, 'DCMG', 'input must be a string, an array or null'],
  [{ input: ['hi'] }, 'DCMG', 'input[0] must be an object'],
  [{ input: [] }, 'MG', 'input: must hold at least one message that says something'],
  [
    input({ type: 'smell' }),
    'DMG',
    'input[0].content[0].type: must be one of input_text, input_image, input_file, input_audio, not "smell"',
  ],
  [input({ type: 'input_image' }), 'DMG', 'input[0].content[0].image_url: is missing; send a string'],
  [
    input({ type: 'input_audio', input_audio: wav }),
    'D',
    'input[0].content[0]: this model takes no audio input; it takes text',
  ],
  [
    { input: [...HI, { type: 'function_call_output', call_id: 'c9', output: 'x' }] },
    'DMG',
    'input[1]: answers tool call "c9", but no open call before it has that id',
  ],
  [
    { previous_response_id: 'resp_1' },
    'DMG',
    'previous_response_id: this model does not keep earlier responses; send the whole conversation in input',
  ],
  [
    { conversation: 'conv_1' },
    'DMG',
    'conversation: this model does not keep conversations; send the whole conversation in input',
  ],
  [
    { prompt: { id: 'pmpt_1' } },
    'DMG',
    'prompt: this model does not know stored prompts; send the instructions and input themselves',
  ],
  [
    { background: true },
    'DCMG',
    'background: this gateway stores no responses; leave it out, or ask the operator to set security.encryption_key',
  ],
  [
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    'DMG',
    `tools[0]: the tool "code_interpreter" ${OWN_VENDOR}`,
  ],
  [
    { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] },
    'DMG',
    'tools[0].tools[0].type: must be "function" or "custom" in a namespace',
  ],
  [
    { tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'function', name: 'f', namespace: 'q' } },
    'DMG',
    'tool_choice: names the tool "f" of the namespace "q", which is not among tools',
  ],
  [
    { tool_choice: { type: 'file_search' } },
    'DMG',
    'tool_choice: this model has no such hosted tool; choose one of your own',
  ],
  [
    { text: { format: { type: 'xml' } } },
    'DMG',
    'text.format.type: must be one of "text", "json_object", "json_schema", not "xml"',
  ],
  [{ temperature: 5 }, 'DMG', 'temperature: must be between 0 and 2, not 5'],
  [{ max_output_tokens: 0 }, 'DMG', 'max_output_tokens: must be 1 or more, not 0'],
  [
    { include: ['message.output_text.logprobs'] },
    'M',
    'include: this model reports no log probabilities; leave it out',
  ],
];

const block = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const TOOL = { name: 'f', input_schema: { type: 'object' } };
const MESSAGES: readonly Row[] = [
  [{ messages: [] }, 'DCG', 'messages: must hold at least one message'],
  [block({ text: 'x' }), 'DCMG', 'messages[0].content[0].type is missing'],
  [block({ type: 'smell' }), 'DCG', 'messages[0].content[0].type: "smell" has no meaning here'],
  [block({ type: 'image' }), 'DCG', 'messages[0].content[0].source: is missing; send an object'],
  [
    block({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }),
    'D',
    'messages[0].content[0]: this model takes no image input; it takes text',
  ],
  [
    block({ type: 'tool_result', tool_use_id: 't9', content: 'x' }),
    'DCG',
    'messages[0].content[0]: answers tool call "t9", but no open call before it has that id',
  ],
  [
    { messages: [...HI, { role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
    'DCG',
    'messages[1].content[0]: a tool_result block belongs in a user message',
  ],
  [{ system: 5 }, 'DCMG', 'system must be a string, an array or null'],
  [{ max_tokens: 0 }, 'DCMG', 'max_tokens must be 1 or more'],
  [
    { thread: { type: 'create' } },
    'DCG',
    'thread: only Anthropic keeps conversations, and this model is not served by it; send the whole conversation in `messages`',
  ],
  [
    { previous_message_id: 'msg_1' },
    'DCG',
    'previous_message_id: only Anthropic keeps messages, and this model is not served by it; send the whole conversation in `messages`',
  ],
  [{ container: 'c_1' }, 'DCG', 'container: only Anthropic has code execution containers; leave it out for this model'],
  [
    { mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }] },
    'DCG',
    'mcp_servers: only Anthropic connects to MCP servers by itself; name one that the gateway’s operator has listed, or declare their tools in `tools` for this model',
  ],
  [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'DCG', `tools[0]: the tool "bash" ${OWN_VENDOR}`],
  [
    { tools: [{ name: 'f', input_schema: { type: 'string' } }] },
    'DCG',
    'tools[0].input_schema: must be a JSON Schema of type "object", not "string"',
  ],
  [
    { tools: [TOOL], tool_choice: { type: 'tool', name: 'g' } },
    'DCG',
    'tool_choice: names the tool "g", which is not among tools',
  ],
  [{ temperature: 5 }, 'DCG', 'temperature: must be between 0 and 2, not 5'],
  [{ top_k: -1 }, 'DCG', 'top_k: must be 0 or more, not -1'],
  [{ thinking: { type: 'enabled' } }, 'DCG', 'thinking.budget_tokens: is missing; send a whole number'],
  [
    { output_config: { format: { type: 'xml' } } },
    'DCG',
    'output_config.format.type: must be "json_schema", not "xml"',
  ],
];

const parts = (...said: JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts: said }] });
const config = (generationConfig: JsonObject): JsonObject => ({ generationConfig });
const declared = (more: JsonObject): JsonObject => ({ tools: [{ functionDeclarations: [{ name: 'f', ...more }] }] });
const GEMINI: readonly Row[] = [
  [{ contents: 'x' }, 'DCMG', 'contents must be an array, an object or null'],
  [{ contents: [] }, 'DCM', 'contents: must hold at least one turn'],
  [
    { contents: [{ role: 'robot', parts: [{ text: 'x' }] }] },
    'DCM',
    'contents[0].role: must be one of "user", "model", "function", not "robot"',
  ],
  [parts({ smell: 'x' }), 'DCM', 'contents[0].parts[0]: has no meaning in a user turn: smell'],
  [parts({ inlineData: {} }), 'DCM', 'contents[0].parts[0].inlineData.data: is missing; send a string'],
  [
    parts({ inlineData: { mimeType: 'image/png', data: '%%' } }),
    'DCM',
    'contents[0].parts[0].inlineData.data: must be base64 text',
  ],
  [
    parts({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    'C',
    'contents[0].parts[0]: this model takes no video input; it takes text, image, document',
  ],
  [parts({ functionResponse: {} }), 'DCM', 'contents[0].parts[0].functionResponse.name: is missing; send a string'],
  [
    { cachedContent: 'cachedContents/abc' },
    'DCM',
    'cachedContent: is content kept at Google, which this model cannot read; send it in `contents`',
  ],
  [{ tools: [{ codeExecution: {} }] }, 'DCM', `tools[0].codeExecution: the tool "codeExecution" ${OWN_VENDOR}`],
  [
    declared({ parameters: { type: 'STRING' } }),
    'DCM',
    'tools[0].functionDeclarations[0].parameters: must be a JSON Schema of type "object", not "STRING"',
  ],
  [
    { ...declared({}), toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } },
    'DCM',
    'toolConfig.functionCallingConfig: names the tool "g", which is not among tools',
  ],
  [config({ temperature: 5 }), 'DCM', 'generationConfig.temperature: must be between 0 and 2, not 5'],
  [config({ topP: 3 }), 'DCM', 'generationConfig.topP: must be between 0 and 1, not 3'],
  [config({ maxOutputTokens: -1 }), 'DCM', 'generationConfig.maxOutputTokens: must be 1 or more, not -1'],
  [config({ candidateCount: 0 }), 'DCM', 'generationConfig.candidateCount: must be 1 or more, not 0'],
  [
    config({ candidateCount: 2 }),
    'M',
    'generationConfig.candidateCount: this model gives one answer to a request; send the request several times',
  ],
  [
    config({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }),
    'DC',
    'generationConfig.stopSequences: this model takes at most 4 stop sequences',
  ],
  [
    config({ responseLogprobs: true }),
    'M',
    'generationConfig.responseLogprobs: this model reports no log probabilities; leave it out',
  ],
  [
    config({ responseModalities: ['AUDIO'] }),
    'M',
    'generationConfig.responseModalities: this model writes no audio; ask for text only',
  ],
  [
    config({ responseModalities: ['AUDIO'] }),
    'DC',
    'generationConfig.speechConfig: must name the voice of the answer when audio is asked for',
  ],
  [
    config({ thinkingConfig: { thinkingLevel: 'HUGE' } }),
    'DCM',
    'generationConfig.thinkingConfig.thinkingLevel: must be one of "MINIMAL", "LOW", "MEDIUM", "HIGH", not "HUGE"',
  ],
];

const CALLERS = [
  ['/v1/chat/completions', { messages: HI }, CHAT],
  ['/v1/responses', { input: 'hi' }, RESPONSES],
  ['/v1/messages', { max_tokens: 100, messages: HI }, MESSAGES],
  ['/v1beta/models/{model}:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, GEMINI],
] as const;

describe.each(CALLERS)('%s', (path, whole, rows) => {
  const cases = rows.flatMap(([body, to, says]) => Array.from(to, (one) => ({ says, to: one as To, body })));

  it.each(cases)('$to: $says', async ({ says, to, body }) => {
    const model = path.includes('{model}') ? {} : { model: MODELS[to] };
    const reply = await fetch(gateway.url + path.replace('{model}', MODELS[to]), {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...model, ...whole, ...body }),
    });
    const { error } = (await reply.json()) as { error?: { message: string; param?: string | null } };
    expect([error?.message, [400, 404]]).toEqual([says, expect.arrayContaining([reply.status])]);
    // OpenAI's forms name the field beside the words, too; a vendor's own words name none of the caller's.
    if (path === '/v1/chat/completions' || path === '/v1/responses')
      expect(error?.param ?? null).toBe(says.startsWith(THEIR_WORDS) ? null : fieldOf(says));
  });
});
