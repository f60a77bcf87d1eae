/** The same call in each language. They are run against a gateway by a test. */
import type { Example, ExampleRequest, Operation } from './document.ts';
import { jsLiteral, jsonText, quote } from './literal.ts';
import type { CodeTab } from './markdown.ts';

export const BASE_URL = 'http://127.0.0.1:8080';
export const TEST_KEY = 'sk-test-…';
export const ADMIN_KEY = 'admin-…';

/** What one sample calls with; places of other answers are filled with the document's examples. */
export interface Called {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly form: boolean;
}

/** The call of an example, or of an operation without a body. */
export function calledBy(operation: Operation, example: Example | undefined, form = false): Called {
  const request: ExampleRequest = example?.['x-request'] ?? {};
  const given = (place: 'path' | 'query' | 'headers', name: string, fallback: unknown): string => {
    const value = request[place]?.[name] as string | number | undefined;
    return String(value === undefined || String(value).startsWith('$') ? fallback : value);
  };
  const named = (place: 'path' | 'query'): Record<string, string> =>
    Object.fromEntries(
      operation.parameters
        .filter(
          (parameter) =>
            parameter.in === place && (parameter.required === true || request[place]?.[parameter.name] !== undefined),
        )
        .map(({ name, example: fallback }) => [name, given(place, name, fallback ?? name)]),
    );
  return {
    operation,
    path: named('path'),
    query: named('query'),
    headers: request.headers ?? {},
    body: example?.value as Record<string, unknown> | undefined,
    form,
  };
}

/** Every language that has a way to say it; curl always. */
export function samplesOf(called: Called): readonly CodeTab[] {
  const ours = ourClient(called);
  const sdk = { openai: openAi(called), anthropic: anthropic(called), genai: genAi(called) };
  return [
    { label: 'curl', language: 'sh', code: curl(called) },
    ...Object.entries(sdk).flatMap(([label, code]) => (code === undefined ? [] : [{ label, language: 'js', code }])),
    ...(ours === undefined ? [] : [{ label: 'client', language: 'ts', code: ours }]),
  ];
}

function addressOf({ operation, path, query }: Called): string {
  const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name));
  const search = new URLSearchParams(query).toString();
  return search === '' ? address : `${address}?${search}`;
}

// ---- curl ----------------------------------------------------------------------------------------------------------

function curl(called: Called): string {
  const { operation, body, form, headers } = called;
  const key = keyOf(operation);
  const binary = isBinary(operation);
  const streams =
    body?.['stream'] === true || headers['accept'] === 'text/event-stream' || called.query['alt'] === 'sse';
  const parts = [
    `curl ${streams ? '-N ' : ''}${operation.method === 'get' || operation.method === 'post' ? '' : `-X ${operation.method.toUpperCase()} `}'${BASE_URL}${addressOf(called)}'`,
    ...(key === undefined ? [] : [`-H 'authorization: Bearer ${key}'`]),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
  ];
  if (form && body !== undefined) {
    for (const [name, value] of Object.entries(body))
      parts.push(`-F '${name}=${isFile(value) ? `@${fileName(name)}` : String(value)}'`);
  } else if (body !== undefined) {
    parts.push(`-H 'content-type: application/json'`, `-d '${jsonText(body).replace(/'/g, "'\\''")}'`);
  } else if (operation.method === 'post') parts.push('-X POST');
  if (binary !== undefined) parts.push(`-o ${binary}`);
  return parts.join(' \\\n  ');
}

function keyOf({ object, tag, path }: Operation): string | undefined {
  if (tag === 'admin') return ADMIN_KEY;
  return object.security?.length === 0 || path.startsWith('/files') ? undefined : TEST_KEY;
}

/** The file a binary answer is saved to. */
function isBinary({ object }: Operation): string | undefined {
  const types = Object.keys(object.responses['200']?.content ?? {});
  if (types.some((type) => type.startsWith('video/'))) return 'video.mp4';
  if (types.some((type) => type.startsWith('audio/'))) return 'speech.wav';
  return undefined;
}

function isFile(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

function fileName(field: string): string {
  return field === 'mask' ? 'mask.png' : 'picture.png';
}

// ---- the official SDKs -----------------------------------------------------------------------------------------------

const OPENAI_SETUP = `import OpenAI, { toFile } from 'openai';

const openai = new OpenAI({ baseURL: '${BASE_URL}/v1', apiKey: '${TEST_KEY}' });
`;

function openAi(called: Called): string | undefined {
  const { operation, body = {}, path, query, headers } = called;
  const literal = jsLiteral(body);
  const streamed = (call: string, text: string): string =>
    body['stream'] === true
      ? `const stream = await ${call};\nfor await (const event of stream) ${text}`
      : `const answer = await ${call};`;
  const print = (text: string): string => (body['stream'] === true ? '' : `\nconsole.log(${text});`);
  const id = quote(path['video_id'] ?? path['task_id'] ?? '');
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'createChatCompletion': {
        const audio = body['audio'] !== undefined;
        const show = audio
          ? 'console.log(event.choices[0]?.delta.audio?.data?.length);'
          : 'console.log(event.choices[0]?.delta.content);';
        return (
          streamed(`openai.chat.completions.create(${literal})`, show) +
          print(audio ? 'answer.choices[0].message.audio' : 'answer.choices[0].message')
        );
      }
      case 'createResponse':
        return (
          streamed(`openai.responses.create(${literal})`, 'console.log(event.type);') +
          print('answer.output_text || answer.output')
        );
      case 'createImage':
        return body['prompt'] === undefined
          ? `const answer = await openai.post('/images/generations', { body: ${jsLiteral(body, 0)} });\nconsole.log(answer.output);`
          : streamed(`openai.images.generate(${literal})`, 'console.log(event.type);') + print('answer.data');
      case 'editImage':
        return `${readFiles(body)}const answer = await openai.images.edit(${filesIn(body)});\nconsole.log(answer.data);`;
      case 'createSpeech':
        return `const answer = await openai.audio.speech.create(${literal});\nconsole.log((await answer.arrayBuffer()).byteLength);`;
      case 'createVideo':
        return called.form
          ? `${readFiles(body)}const video = await openai.videos.create(${filesIn(body)});\nconsole.log(video.id);`
          : `const video = await openai.videos.create(${literal});\nconsole.log(video.id);`;
      case 'getVideo':
        return `const video = await openai.videos.retrieve(${id});\nconsole.log(video.status, video.progress);`;
      case 'getVideoContent':
        return `const file = await openai.videos.downloadContent(${id});\nconsole.log((await file.arrayBuffer()).byteLength);`;
      case 'listVideos':
        return `for await (const video of openai.videos.list(${queryLiteral(query)})) console.log(video.id, video.status);`;
      case 'deleteVideo':
        return `console.log(await openai.videos.delete(${id}));`;
      case 'createVideoTask':
        return `const task = await openai.post('/video/generations', {\n  body: ${jsLiteral(body, 2)},\n});\nconsole.log(task.task_id);`;
      case 'getVideoTask':
        return headers['accept'] === undefined
          ? `const { data } = await openai.get('/video/generations/${path['task_id'] ?? ''}');\nconsole.log(data.status, data.progress, data.result_url);`
          : undefined;
      case 'listModels':
        return Object.keys(headers).length > 0
          ? undefined
          : 'for await (const model of openai.models.list()) console.log(model.id);';
      case 'getModel':
        return Object.keys(headers).length > 0
          ? undefined
          : `console.log(await openai.models.retrieve(${quote(path['model'] ?? '')}));`;
      default:
        return undefined;
    }
  })();
  if (code === undefined) return undefined;
  return `${code.includes('toFile(') ? `import { createReadStream } from 'node:fs';\n${OPENAI_SETUP}` : OPENAI_SETUP.replace(', { toFile }', '')}\n${code}\n`;
}

function readFiles(body: Readonly<Record<string, unknown>>): string {
  return Object.entries(body)
    .filter(([, value]) => isFile(value))
    .map(
      ([name]) =>
        `const ${name} = await toFile(createReadStream('${fileName(name)}'), '${fileName(name)}', { type: 'image/png' });\n`,
    )
    .join('');
}

function filesIn(body: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(body).map(([name, value]) =>
    isFile(value)
      ? name
      : `${name}: ${/^\d+$/.test(String(value)) && name === 'n' ? String(value) : jsLiteral(value, 2)}`,
  );
  return `{\n  ${lines.join(',\n  ')},\n}`;
}

function queryLiteral(query: Readonly<Record<string, string>>): string {
  const typed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  return Object.keys(typed).length === 0 ? '' : jsLiteral(typed);
}

const ANTHROPIC_SETUP = `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({ baseURL: '${BASE_URL}', apiKey: '${TEST_KEY}' });
`;

function anthropic({ operation, body = {}, path, headers }: Called): string | undefined {
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'createMessage': {
        const { stream, ...rest } = body;
        // The SDK wants a cap in every request.
        const literal = jsLiteral({ max_tokens: 1024, ...rest });
        if (stream !== true)
          return `const message = await anthropic.messages.create(${literal});\nconsole.log(message.content);`;
        return `const stream = anthropic.messages.stream(${literal});\nstream.on('text', (text) => console.log(text));\nconsole.log((await stream.finalMessage()).usage);`;
      }
      case 'countMessageTokens':
        return `console.log(await anthropic.messages.countTokens(${jsLiteral(body)}));`;
      case 'listModels':
        return headers['anthropic-version'] === undefined
          ? undefined
          : 'for await (const model of anthropic.models.list()) console.log(model.id);';
      case 'getModel':
        return `console.log(await anthropic.models.retrieve(${quote(path['model'] ?? '')}));`;
      default:
        return undefined;
    }
  })();
  return code === undefined ? undefined : `${ANTHROPIC_SETUP}\n${code}\n`;
}

const GENAI_SETUP = `import { GoogleGenAI } from '@google/genai';

const genai = new GoogleGenAI({ apiKey: '${TEST_KEY}', httpOptions: { baseUrl: '${BASE_URL}' } });
`;

function genAi({ operation, body = {}, path, query }: Called): string | undefined {
  const { contents, generationConfig, tools, toolConfig, systemInstruction } = body as Record<string, unknown>;
  const config = {
    ...(generationConfig as object | undefined),
    ...(tools !== undefined && { tools }),
    ...(toolConfig !== undefined && { toolConfig }),
    ...(systemInstruction !== undefined && { systemInstruction }),
  };
  const literal = jsLiteral({
    model: path['model'],
    contents,
    ...(Object.keys(config).length > 0 && { config }),
  });
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'generateContent':
        return `const answer = await genai.models.generateContent(${literal});\nconsole.log(answer.candidates?.[0]?.content?.parts);`;
      case 'streamGenerateContent':
        return query['alt'] === 'sse'
          ? `const stream = await genai.models.generateContentStream(${literal});\nfor await (const piece of stream) console.log(piece.text);`
          : undefined;
      case 'countContentTokens':
        return `console.log(await genai.models.countTokens(${jsLiteral({ model: path['model'], contents })}));`;
      case 'listGeminiModels':
        return 'for await (const model of await genai.models.list()) console.log(model.name);';
      case 'getGeminiModel':
        return `console.log(await genai.models.get({ model: ${quote(path['model'] ?? '')} }));`;
      default:
        return undefined;
    }
  })();
  return code === undefined ? undefined : `${GENAI_SETUP}\n${code}\n`;
}

// ---- our client ------------------------------------------------------------------------------------------------------

function ourClient(called: Called): string | undefined {
  const { operation } = called;
  if (operation.webhook) return undefined;
  const admin = operation.tag === 'admin';
  const call = (admin ? adminCall(called) : ourCall(called)) ?? anyCall(called);
  const setup = admin
    ? `import { createAdmin } from '@model-gateway/client';\n\nconst admin = createAdmin({ baseUrl: '${BASE_URL}', apiKey: '${ADMIN_KEY}' });\n`
    : `import { createClient${call.includes('picturesOf') ? ', picturesOf' : ''}${call.includes('audioOf') ? ', audioOf' : ''} } from '@model-gateway/client';\n\nconst client = createClient({ baseUrl: '${BASE_URL}', apiKey: '${TEST_KEY}' });\n`;
  return `${setup}\n${call}\n`;
}

function ourCall({ operation, body = {}, path, query, headers, form }: Called): string | undefined {
  const { stream, ...rest } = body;
  const literal = jsLiteral(rest);
  const id = quote(path['task_id'] ?? path['video_id'] ?? '');
  const model = quote(path['model'] ?? '');
  const text = (call: string): string => `for await (const piece of client.${call}.text()) console.log(piece);`;
  switch (operation.id) {
    case 'createChatCompletion':
      if (body['audio'] !== undefined)
        return stream === true
          ? `const answer = await client.chat.stream(${literal}).final();\nconsole.log(audioOf(answer)?.length);`
          : `const answer = await client.chat.create(${literal});\nconsole.log(audioOf(answer)?.length);`;
      return stream === true
        ? text(`chat.stream(${literal})`)
        : `const answer = await client.chat.create(${literal});\nconsole.log(answer.choices[0]?.message);`;
    case 'createResponse':
      return stream === true
        ? text(`responses.stream(${literal})`)
        : `const answer = await client.responses.create(${literal});\nconsole.log(answer.output);`;
    case 'createMessage':
      return stream === true
        ? text(`messages.stream(${literal})`)
        : `const answer = await client.messages.create(${literal});\nconsole.log(answer.content);`;
    case 'countMessageTokens':
      return `console.log(await client.messages.countTokens(${literal}));`;
    case 'generateContent':
      return `const answer = await client.contents.generate(${model}, ${literal});\nconsole.log(answer.candidates?.[0]?.content?.parts);`;
    case 'streamGenerateContent':
      return query['alt'] === 'sse' ? text(`contents.stream(${model}, ${literal})`) : undefined;
    case 'countContentTokens':
      return `console.log(await client.contents.countTokens(${model}, ${literal}));`;
    case 'createImage':
      return `const result = await client.images.generate(${literal});\nconsole.log(picturesOf(result));`;
    case 'editImage':
      return `const result = await client.images.edit(${pathsIn(body)});\nconsole.log(picturesOf(result));`;
    case 'createSpeech':
      return `const speech = await client.speech.create(${literal});\nawait speech.save('speech.${(body['response_format'] as string | undefined) ?? 'mp3'}');`;
    case 'createVideoTask':
      return `const task = await client.videos.create(${literal}).wait();\nconsole.log(task.result_url);`;
    case 'listVideoTasks':
      return `for await (const task of client.videos.list(${queryLiteral(query)})) console.log(task.task_id, task.status);`;
    case 'getVideoTask':
      if (headers['accept'] !== undefined)
        return `for await (const task of client.videos.follow(${id})) console.log(task.status, task.progress);`;
      return query['wait'] === undefined
        ? `const task = await client.videos.get(${id});\nconsole.log(task.status, task.progress);`
        : `const task = await client.videos.get(${id}, { wait: ${query['wait']} });\nconsole.log(task.status, task.progress);`;
    case 'cancelVideoTask':
      return `const task = await client.videos.cancel(${id});\nconsole.log(task.status, task.fail_reason);`;
    case 'createVideo':
      return `const video = await client.videoObjects.create(${form ? pathsIn(body) : literal}).wait();\nconsole.log(video.status);`;
    case 'listVideos':
      return `for await (const video of client.videoObjects.list(${queryLiteral(query)})) console.log(video.id, video.status);`;
    case 'getVideo':
      return `const video = await client.videoObjects.get(${id});\nconsole.log(video.status, video.progress);`;
    case 'deleteVideo':
      return `console.log(await client.videoObjects.delete(${id}));`;
    case 'getVideoContent':
      return `const file = await client.videos.download(${id});\nawait file.save('video.mp4');`;
    case 'createSubject':
      return `const subject = await client.subjects.create(${literal}).wait();\nconsole.log(subject.Output);`;
    case 'getSubject':
      return `const subject = await client.subjects.get(${id});\nconsole.log(subject.Status, subject.Progress);`;
    case 'listModels':
      return Object.keys(headers).length > 0
        ? undefined
        : 'const { data } = await client.models.list();\nfor (const { id, kind } of data) console.log(id, kind);';
    case 'getModel':
      return Object.keys(headers).length > 0 ? undefined : `console.log(await client.models.get(${model}));`;
    case 'createEstimate':
      return `const { usd, quota } = await client.estimate(${literal});\nconsole.log(usd, quota);`;
    default:
      return undefined;
  }
}

function pathsIn(body: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(body).map(([name, value]) =>
    isFile(value)
      ? `${name}: { path: '${fileName(name)}' }`
      : `${name}: ${name === 'n' ? String(value) : jsLiteral(value, 2)}`,
  );
  return `{\n  ${lines.join(',\n  ')},\n}`;
}

function adminCall({ operation, body = {}, path, query }: Called): string | undefined {
  const literal = jsLiteral(body);
  const id = path['key_id'] ?? path['owner_id'] ?? '';
  const q = queryLiteral(query);
  const list = (name: string): string => `for await (const row of admin.${name}.list(${q})) console.log(row);`;
  const show = (call: string): string => `console.log(await admin.${call});`;
  const calls: Readonly<Record<string, string>> = {
    listKeys: list('keys'),
    createKey: `const { secret, key } = await admin.keys.create(${literal});\nconsole.log(secret, key.id);`,
    getKey: show(`keys.get(${id})`),
    updateKey: show(`keys.update(${id}, ${literal})`),
    revokeKey: show(`keys.revoke(${id})`),
    rotateKey: show(`keys.rotate(${id}, ${literal})`),
    listOwners: list('owners'),
    createOwner: show(`owners.create(${literal})`),
    getOwner: show(`owners.get(${id})`),
    updateOwner: show(`owners.update(${id}, ${literal})`),
    topUpOwner: show(`owners.topUp(${id}, ${literal})`),
    adjustOwner: show(`owners.adjust(${id}, ${literal})`),
    getUsage: show(`usage(${q})`),
    listLedgerEntries: list('ledger'),
    verifyLedger: show('ledger.verify()'),
    replayLedger: show(`ledger.replay(${quote(path['request_id'] ?? '')})`),
    listAllTasks: list('tasks'),
    listAccounts: show('accounts()'),
    listWebhookDeliveries: list('webhooks'),
    replayWebhookDelivery: show(`webhooks.replay(${quote(path['delivery_id'] ?? '')})`),
  };
  return calls[operation.id];
}

/** The way that every operation has. */
function anyCall({ operation, body, path, query, headers }: Called): string {
  const input = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && {
      query: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
      ),
    }),
    ...(Object.keys(headers).length > 0 && { header: headers }),
    ...(body !== undefined && { body }),
  };
  return `console.log(await client.call('${operation.id}'${Object.keys(input).length > 0 ? `, ${jsLiteral(input)}` : ''}));`;
}
