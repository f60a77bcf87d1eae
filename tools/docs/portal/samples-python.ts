/** Samples in Python: with the SDK of the operation's own dialect, and with the standard library where there is none. */
import {
  addressOf,
  BASE_URL,
  embeddedIn,
  fileName,
  isFile,
  keyOf,
  savedTo,
  streams,
  TEST_KEY,
  type Called,
} from './called.ts';
import { pythonLiteral } from './literal.ts';

/** Every operation has one. */
export function python(called: Called): string {
  return openAi(called) ?? anthropic(called) ?? genAi(called) ?? standardLibrary(called);
}

// ---- openai ----------------------------------------------------------------------------------------------------------

const OPENAI_SETUP = `from openai import OpenAI

client = OpenAI(base_url="${BASE_URL}/v1", api_key="${TEST_KEY}")
`;

function openAi(called: Called): string | undefined {
  const { operation, body = {}, path, query, headers, form } = called;
  const id = pythonLiteral(path['video_id'] ?? path['task_id'] ?? '');
  const streamed = body['stream'] === true;
  const ask = (call: string, show: string, showEvent: string): string =>
    streamed ? `stream = ${call}\nfor event in stream:\n    print(${showEvent})` : `answer = ${call}\nprint(${show})`;
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'createChatCompletion': {
        const call = `client.chat.completions.create(${named(body)})`;
        return body['audio'] === undefined
          ? ask(call, 'answer.choices[0].message', 'event.choices[0].delta.content if event.choices else event.usage')
          : ask(call, 'len(answer.choices[0].message.audio.data)', 'len(str(event))');
      }
      case 'createCompletion':
        return ask(
          `client.completions.create(${named(body)})`,
          'answer.choices[0].text',
          'event.choices[0].text if event.choices else event.usage',
        );
      case 'createResponse':
        return ask(`client.responses.create(${named(body)})`, 'answer.output_text or answer.output', 'event.type');
      case 'createImage':
        if (body['async'] === true) return posted('/images/generations', body, 'answer["id"]');
        return body['prompt'] === undefined
          ? posted('/images/generations', body, 'answer["output"]')
          : ask(`client.images.generate(${named(body, IMAGE_EXTRA)})`, 'answer.data', 'event.type');
      case 'createImageVariation':
        return `answer = client.images.create_variation(${named(body, [], true)})\nprint(answer.data)`;
      case 'editImage':
        return `answer = client.images.edit(${named(body, [], true)})\nprint(answer.data)`;
      case 'createSpeech':
        return `speech = client.audio.speech.create(${named(body)})\nspeech.write_to_file("speech.${(body['response_format'] as string | undefined) ?? 'mp3'}")`;
      case 'createTranscription':
      case 'createTranslation': {
        const part = operation.id === 'createTranslation' ? 'translations' : 'transcriptions';
        const call = `client.audio.${part}.create(${named({ ...body, ...(body['stream'] !== undefined && { stream: true }) }, [], true)})`;
        return body['stream'] === undefined
          ? `answer = ${call}\nprint(answer)`
          : `stream = ${call}\nfor event in stream:\n    print(event.type)`;
      }
      case 'createEmbedding':
        return `answer = client.embeddings.create(${named(body)})\nprint([len(row.embedding) for row in answer.data])`;
      case 'createModeration':
        return `answer = client.moderations.create(${named(body)})\nprint([result.flagged for result in answer.results])`;
      case 'createRerank':
        return posted('/rerank', body, 'answer["results"]');
      case 'remixVideo':
        return `video = client.videos.remix(${id}, ${named(body)})\nprint(video.id, video.status)`;
      case 'editVideo':
        return `video = client.videos.edit(${named(body)})\nprint(video.id, video.status)`;
      case 'extendVideo':
        return `video = client.videos.extend(${named(body)})\nprint(video.id, video.status)`;
      case 'createVideo':
        return 'prompt' in body && 'seconds' in body && (form || typeof body['input_reference'] !== 'object')
          ? `video = client.videos.create(${named(body, [], form)})\nprint(video.id, video.status)`
          : posted('/videos', body, 'answer["id"]');
      case 'getVideo':
        return `video = client.videos.retrieve(${id})\nprint(video.status, video.progress)`;
      case 'getVideoContent':
        return headers['range'] === undefined
          ? `file = client.videos.download_content(${id})\nfile.write_to_file("video.mp4")`
          : undefined;
      case 'listVideos':
        return `for video in client.videos.list(${named(numbers(query))}):\n    print(video.id, video.status)`;
      case 'deleteVideo':
        return `print(client.videos.delete(${id}))`;
      case 'uploadFile': {
        if (headers['anthropic-version'] !== undefined) return undefined;
        const seconds = body['expires_after[seconds]'];
        const expiry =
          seconds === undefined ? '' : `, expires_after={"anchor": "created_at", "seconds": ${Number(seconds)}}`;
        return `file = client.files.create(file=open("${fileName('file')}", "rb"), purpose=${pythonLiteral(body['purpose'])}${expiry})\nprint(file.id)`;
      }
      case 'createUploadPart':
        return `part = client.uploads.parts.create(upload_id=${pythonLiteral(path['upload_id'])}, data=open("${fileName('data')}", "rb"))\nprint(part.id)`;
      case 'createVideoTask':
        return posted('/video/generations', body, 'seconds' in body ? 'answer["id"]' : 'answer["task_id"]');
      case 'getStream':
        return `events = client.get(${pythonLiteral(`/streams/${path['stream_id'] ?? ''}`)}, cast_to=str, options={"headers": ${pythonLiteral(headers)}})\nprint(events)`;
      case 'listModels':
        return headers['anthropic-version'] === undefined
          ? 'for model in client.models.list():\n    print(model.id)'
          : undefined;
      case 'getModel':
        return `print(client.models.retrieve(${pythonLiteral(path['model'])}))`;
      default:
        return keptResponses(called);
    }
  })();
  return code === undefined ? undefined : `${OPENAI_SETUP}\n${code}\n`;
}

/** Responses and conversations that the gateway keeps. */
function keptResponses({ operation, body = {}, path, query }: Called): string | undefined {
  const response = pythonLiteral(path['response_id'] ?? '');
  const completion = pythonLiteral(path['completion_id'] ?? '');
  const conversation = pythonLiteral(path['conversation_id'] ?? '');
  const item = `${pythonLiteral(path['item_id'] ?? '')}, conversation_id=${conversation}`;
  const given = named(body);
  const page = named(numbers(query));
  const after = (first: string, more: string): string => (more === '' ? first : `${first}, ${more}`);
  const show = (call: string): string => `print(client.${call})`;
  const calls: Readonly<Record<string, string>> = {
    getResponse:
      query['stream'] === 'true'
        ? `for event in client.responses.retrieve(${response}, stream=True):\n    print(event.type)`
        : `answer = client.responses.retrieve(${response})\nprint(answer.status, answer.output_text)`,
    deleteResponse: `client.responses.delete(${response})\nprint("deleted")`,
    cancelResponse: `print(client.responses.cancel(${response}).status)`,
    listResponseInputItems: `for item in client.responses.input_items.list(${after(response, page)}):\n    print(item)`,
    listChatCompletions: `for answer in client.chat.completions.list(${page}):\n    print(answer.id)`,
    getChatCompletion: show(`chat.completions.retrieve(${completion})`),
    updateChatCompletion: show(`chat.completions.update(${after(completion, given)})`),
    deleteChatCompletion: show(`chat.completions.delete(${completion})`),
    listChatCompletionMessages: `for message in client.chat.completions.messages.list(${after(completion, page)}):\n    print(message)`,
    createConversation: `print(client.conversations.create(${given}).id)`,
    getConversation: show(`conversations.retrieve(${conversation})`),
    updateConversation: show(`conversations.update(${after(conversation, given)})`),
    deleteConversation: show(`conversations.delete(${conversation})`),
    listConversationItems: `for item in client.conversations.items.list(${after(conversation, page)}):\n    print(item)`,
    createConversationItems: show(`conversations.items.create(${after(conversation, given.trim().replace(/,$/, ''))})`),
    getConversationItem: show(`conversations.items.retrieve(${item})`),
    deleteConversationItem: show(`conversations.items.delete(${item})`),
  };
  return calls[operation.id];
}

/** Fields of other vendors' models, which the SDK's method has no parameter for. */
const IMAGE_EXTRA = [
  'sequential_image_generation',
  'sequential_image_generation_options',
  'watermark',
  'seed',
  'image',
];

/** The SDK asks any path with its key and its repetitions. */
function posted(path: string, body: Readonly<Record<string, unknown>>, show: string): string {
  return `body = ${pythonLiteral(body)}\nanswer = client.post("${path}", body=body, cast_to=object)\nprint(${show})`;
}

/** A body as arguments; `extra` goes into `extra_body`, files are opened. */
function named(body: Readonly<Record<string, unknown>>, extra: readonly string[] = [], files = false): string {
  const known = Object.entries(body).filter(([name]) => !extra.includes(name));
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => extra.includes(name)));
  const all = [...known, ...(Object.keys(others).length > 0 ? [['extra_body', others] as const] : [])];
  const texts = all.map(([name, value]) => {
    if (files && isFile(value)) return `${name}=open("${fileName(name)}", "rb")`;
    return `${name}=${pythonLiteral(files && name === 'n' ? Number(value) : value, 4)}`;
  });
  const line = texts.join(', ');
  return line.length <= SHORT && !line.includes('\n') ? line : `\n${texts.map((text) => `    ${text},\n`).join('')}`;
}
const SHORT = 50;

function numbers(query: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
}

// ---- anthropic -------------------------------------------------------------------------------------------------------

const ANTHROPIC_SETUP = `from anthropic import Anthropic

client = Anthropic(base_url="${BASE_URL}", api_key="${TEST_KEY}")
`;

function anthropic({ operation, body = {}, headers }: Called): string | undefined {
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'createMessage': {
        const { stream, ...rest } = body;
        // The SDK wants a cap in every request.
        const given = named({ max_tokens: 1024, ...rest });
        return stream === true
          ? `with client.messages.stream(${given}) as stream:\n    for text in stream.text_stream:\n        print(text, end="")`
          : `message = client.messages.create(${given})\nprint(message.content)`;
      }
      case 'uploadFile':
        return headers['anthropic-version'] === undefined
          ? undefined
          : `file = client.beta.files.upload(file=open("${fileName('file')}", "rb"))\nprint(file.id)`;
      case 'countMessageTokens':
        return `print(client.messages.count_tokens(${named(body)}).input_tokens)`;
      case 'listModels':
        return headers['anthropic-version'] === undefined
          ? undefined
          : 'for model in client.models.list():\n    print(model.id)';
      default:
        return undefined;
    }
  })();
  return code === undefined ? undefined : `${ANTHROPIC_SETUP}\n${code}\n`;
}

// ---- google-genai ----------------------------------------------------------------------------------------------------

const GENAI_SETUP = `from google import genai

client = genai.Client(api_key="${TEST_KEY}", http_options={"base_url": "${BASE_URL}"})
`;

function genAi({ operation, body = {}, path, query }: Called): string | undefined {
  const { contents, generationConfig, tools, toolConfig, systemInstruction } = body;
  const config = {
    ...(generationConfig as object | undefined),
    ...(tools !== undefined && { tools }),
    ...(toolConfig !== undefined && { tool_config: toolConfig }),
    ...(systemInstruction !== undefined && { system_instruction: systemInstruction }),
  };
  const given = named({ model: path['model'], contents, ...(Object.keys(config).length > 0 && { config }) });
  const code = ((): string | undefined => {
    switch (operation.id) {
      case 'generateContent':
        return `answer = client.models.generate_content(${given})\nprint(answer.candidates[0].content.parts)`;
      case 'streamGenerateContent':
        return query['alt'] === 'sse'
          ? `for piece in client.models.generate_content_stream(${given}):\n    print(piece.text)`
          : undefined;
      case 'countContentTokens':
        return `print(client.models.count_tokens(${named({ model: path['model'], contents })}).total_tokens)`;
      case 'embedContent':
      case 'batchEmbedContents':
        return `answer = client.models.embed_content(${named({ model: path['model'], ...embeddedIn(body) })})\nfor embedding in answer.embeddings:\n    print(len(embedding.values))`;
      case 'listGeminiModels':
        return 'for model in client.models.list():\n    print(model.name)';
      case 'getGeminiModel':
        return `print(client.models.get(model=${pythonLiteral(path['model'])}))`;
      default:
        return undefined;
    }
  })();
  return code === undefined ? undefined : `${GENAI_SETUP}\n${code}\n`;
}

// ---- the standard library --------------------------------------------------------------------------------------------

function standardLibrary(called: Called): string {
  const { operation, body, headers } = called;
  const key = keyOf(operation);
  const all = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const method = operation.method.toUpperCase();
  const given = [
    `"${BASE_URL}${addressOf(called)}"`,
    ...(body === undefined ? [] : ['data=json.dumps(body).encode()']),
    ...(Object.keys(all).length === 0 ? [] : [`headers=${pythonLiteral(all, 4)}`]),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
  ];
  const request = `Request(\n${given.map((text) => `    ${text},\n`).join('')})`;
  const show = shown(called);
  return [
    ...(body !== undefined || show.includes('json.') ? ['import json'] : []),
    'from urllib.request import Request, urlopen\n',
    ...(body === undefined ? [] : [`body = ${pythonLiteral(body)}`]),
    `request = ${request}`,
    `with urlopen(request) as answer:\n${show}\n`,
  ].join('\n');
}

function shown(called: Called): string {
  const { operation } = called;
  const file = savedTo(operation);
  if (file !== undefined) return `    open("${file}", "wb").write(answer.read())`;
  if (streams(called)) return '    for line in answer:\n        print(line.decode(), end="")';
  const isJson = operation.object.responses['200']?.content?.['application/json'] !== undefined;
  return isJson ? '    print(json.load(answer))' : '    print(answer.read().decode())';
}
