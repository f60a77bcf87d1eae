/** Samples with the official SDKs. */
import { BASE_URL, fileName, isFile, queryLiteral, TEST_KEY, type Called } from './called.ts';
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

export function genAi({ operation, body = {}, path, query }: Called): string | undefined {
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
