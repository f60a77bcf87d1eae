/** Samples with the official SDKs. */
import { BASE_URL, embeddedIn, fileName, isFile, queryLiteral, TEST_KEY, type Called } from './called.ts';
import { jsLiteral, quote } from './literal.ts';

const OPENAI_SETUP = `import OpenAI, { toFile } from 'openai';

const openai = new OpenAI({ baseURL: '${BASE_URL}/v1', apiKey: '${TEST_KEY}' });
`;

export function openAi(called: Called): string | undefined {
  const { operation, body = {}, path, query, headers } = called;
  const literal = jsLiteral(body);
  const streamed = (call: string, text: string): string =>
    body['stream'] === true
      ? `const stream = await ${call};\nfor await (const event of stream) ${text}`
      : `const answer = await ${call};`;
  const print = (text: string): string => (body['stream'] === true ? '' : `\nconsole.log(${text});`);
  const id = quote(path['video_id'] ?? path['task_id'] ?? '');
  const kept = keptResponses(called);
  if (kept !== undefined) return `${OPENAI_SETUP.replace(', { toFile }', '')}\n${kept}\n`;
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'createChatCompletion': {
        const audio = body['audio'] !== undefined;
        const show = audio
          ? "console.log(event.choices[0]?.delta.audio?.data?.length ?? '');"
          : "console.log(event.choices[0]?.delta.content ?? '');";
        return (
          streamed(`openai.chat.completions.create(${literal})`, show) +
          print(audio ? 'answer.choices[0].message.audio' : 'answer.choices[0].message')
        );
      }
      case 'createCompletion':
        return (
          streamed(`openai.completions.create(${literal})`, "console.log(event.choices[0]?.text ?? '');") +
          print('answer.choices[0].text')
        );
      case 'createResponse':
        return (
          streamed(`openai.responses.create(${literal})`, 'console.log(event.type);') +
          print('answer.output_text || answer.output')
        );
      case 'createImage':
        return body['prompt'] === undefined
          ? `const answer = await openai.post('/images/generations', { body: ${jsLiteral(body, 0)} });\nconsole.log(answer.output);`
          : streamed(`openai.images.generate(${literal})`, 'console.log(event.type);') +
              print(body['async'] === true ? 'answer' : 'answer.data');
      case 'createImageVariation':
        return `${readFiles(body)}const answer = await openai.images.createVariation(${filesIn(body)});\nconsole.log(answer.data);`;
      case 'editImage':
        return `${readFiles(body)}const answer = await openai.images.edit(${filesIn(body)});\nconsole.log(answer.data);`;
      case 'createSpeech':
        return `const answer = await openai.audio.speech.create(${literal});\nconsole.log((await answer.arrayBuffer()).byteLength);`;
      case 'createTranscription':
      case 'createTranslation': {
        const part = operation.id === 'createTranslation' ? 'translations' : 'transcriptions';
        const call = `${readFiles(body)}const answer = await openai.audio.${part}.create(${filesIn(body)});\n`;
        return body['stream'] === undefined
          ? `${call}console.log(answer);`
          : `${call}for await (const event of answer) console.log(event.type);`;
      }
      case 'createEmbedding':
        return `const answer = await openai.embeddings.create(${literal});\nfor (const { embedding } of answer.data) console.log(embedding.length);`;
      case 'createModeration':
        return `const answer = await openai.moderations.create(${literal});\nfor (const { flagged } of answer.results) console.log(flagged);`;
      case 'createRerank':
        return `const answer = await openai.post('/rerank', { body: ${jsLiteral(body, 0)} });\nconsole.log(answer.results);`;
      case 'remixVideo':
        return `const video = await openai.videos.remix(${id}, ${literal});\nconsole.log(video.id, video.status);`;
      case 'editVideo':
        return `const video = await openai.videos.edit(${literal});\nconsole.log(video.id, video.status);`;
      case 'extendVideo':
        return `const video = await openai.videos.extend(${literal});\nconsole.log(video.id, video.status);`;
      case 'createVideo':
        return called.form
          ? `${readFiles(body)}const video = await openai.videos.create(${filesIn(body)});\nconsole.log(video.id);`
          : 'prompt' in body && 'seconds' in body && typeof body['input_reference'] !== 'object'
            ? `const video = await openai.videos.create(${literal});\nconsole.log(video.id);`
            : `const video = await openai.post('/videos', {\n  body: ${jsLiteral(body, 2)},\n});\nconsole.log(video.id);`;
      case 'getVideo':
        return `const video = await openai.videos.retrieve(${id});\nconsole.log(video.status, video.progress);`;
      case 'getVideoContent':
        return `const file = await openai.videos.downloadContent(${id});\nconsole.log((await file.arrayBuffer()).byteLength);`;
      case 'listVideos':
        return `for await (const video of openai.videos.list(${queryLiteral(query)})) console.log(video.id, video.status);`;
      case 'deleteVideo':
        return `console.log(await openai.videos.delete(${id}));`;
      case 'createVideoTask':
        return `const task = await openai.post('/video/generations', {\n  body: ${jsLiteral(body, 2)},\n});\nconsole.log(task.${'seconds' in body ? 'id' : 'task_id'});`;
      case 'getStream':
        return `const stream = await openai.get('/streams/${path['stream_id'] ?? ''}', { stream: true, headers: ${jsLiteral(headers)} });\nfor await (const event of stream) console.log(event.choices[0]?.delta.content ?? '');`;
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

/** Responses and conversations that the gateway keeps. */
function keptResponses({ operation, body = {}, path, query }: Called): string | undefined {
  const response = quote(path['response_id'] ?? '');
  const completion = quote(path['completion_id'] ?? '');
  const conversation = quote(path['conversation_id'] ?? '');
  const item = `${quote(path['item_id'] ?? '')}, { conversation_id: ${conversation} }`;
  const literal = jsLiteral(body);
  const q = queryLiteral(query);
  const page = q === '' ? '' : `, ${q}`;
  const show = (call: string): string => `console.log(await openai.${call});`;
  const calls: Readonly<Record<string, string>> = {
    getResponse:
      query['stream'] === 'true'
        ? `const stream = await openai.responses.retrieve(${response}, { stream: true });\nfor await (const event of stream) console.log(event.type);`
        : `const answer = await openai.responses.retrieve(${response});\nconsole.log(answer.status, answer.output_text);`,
    deleteResponse: `await openai.responses.delete(${response});\nconsole.log('deleted');`,
    cancelResponse: `const answer = await openai.responses.cancel(${response});\nconsole.log(answer.status);`,
    listResponseInputItems: `for await (const item of openai.responses.inputItems.list(${response}${page})) console.log(item);`,
    listChatCompletions: `for await (const answer of openai.chat.completions.list(${q})) console.log(answer.id);`,
    getChatCompletion: show(`chat.completions.retrieve(${completion})`),
    updateChatCompletion: show(`chat.completions.update(${completion}, ${literal})`),
    deleteChatCompletion: show(`chat.completions.delete(${completion})`),
    listChatCompletionMessages: `for await (const message of openai.chat.completions.messages.list(${completion}${page})) console.log(message);`,
    createConversation: `const conversation = await openai.conversations.create(${literal});\nconsole.log(conversation.id);`,
    getConversation: show(`conversations.retrieve(${conversation})`),
    updateConversation: show(`conversations.update(${conversation}, ${literal})`),
    deleteConversation: show(`conversations.delete(${conversation})`),
    listConversationItems: `for await (const item of openai.conversations.items.list(${conversation}${page})) console.log(item);`,
    createConversationItems: show(`conversations.items.create(${conversation}, ${literal})`),
    getConversationItem: show(`conversations.items.retrieve(${item})`),
    deleteConversationItem: show(`conversations.items.delete(${item})`),
  };
  return calls[operation.id];
}

function readFiles(body: Readonly<Record<string, unknown>>): string {
  return Object.entries(body)
    .filter(([, value]) => isFile(value))
    .map(
      ([name]) =>
        `const ${name} = await toFile(createReadStream('${fileName(name)}'), '${fileName(name)}'${isSound(name) ? '' : ", { type: 'image/png' }"});\n`,
    )
    .join('');
}

function isSound(name: string): boolean {
  return fileName(name).endsWith('.wav');
}

function filesIn(body: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(body).map(([name, value]) =>
    isFile(value)
      ? name
      : `${name}: ${(/^\d+$/.test(String(value)) && name === 'n') || name === 'stream' ? String(value) : jsLiteral(value, 2)}`,
  );
  return `{\n  ${lines.join(',\n  ')},\n}`;
}

const ANTHROPIC_SETUP = `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({ baseURL: '${BASE_URL}', apiKey: '${TEST_KEY}' });
`;

export function anthropic({ operation, body = {}, path, headers }: Called): string | undefined {
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

/** The wire takes both spellings, the SDK in JavaScript its own alone. */
const SPELLINGS: Readonly<Record<string, string>> = {
  inline_data: 'inlineData',
  file_data: 'fileData',
  mime_type: 'mimeType',
  file_uri: 'fileUri',
};
function spelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [SPELLINGS[name] ?? name, spelled(each)]));
}

export function genAi({ operation, body = {}, path, query }: Called): string | undefined {
  const { generationConfig, tools, toolConfig, systemInstruction } = body as Record<string, unknown>;
  const contents = spelled(body['contents']);
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
  const embedded = { model: path['model'], ...embeddedIn(body) };
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
      case 'embedContent':
      case 'batchEmbedContents':
        return `const answer = await genai.models.embedContent(${jsLiteral(embedded)});\nfor (const { values } of answer.embeddings ?? []) console.log(values?.length);`;
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
