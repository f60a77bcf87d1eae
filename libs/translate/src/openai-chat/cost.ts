/** What a chat completion may be billed for (docs/wire/openai-chat.md). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  amountOf,
  costOf,
  isGiven,
  isHourMark,
  newReading,
  objectsIn,
  readAudio,
  readBudget,
  readImage,
  readOption,
  readReferences,
  readUntold,
  refersOutside,
  type CostReading,
  type RequestCost,
  type Unbillable,
} from '../shared/request-cost.ts';

const CAPS = ['max_completion_tokens', 'max_tokens'];
/** Fields of OpenAI and of compatible vendors that bring something in from elsewhere. */
const REFERENCES = [
  'previous_response_id',
  'conversation',
  'conversation_id',
  'prompt',
  'prompt_id',
  'container',
  'file_ids',
  'cached_content',
  'plugins',
  'data_sources',
  'mcp_servers',
];
const SEARCHES = ['web_search_options', 'enable_search', 'search_parameters', 'web_search'];
/** Tools whose work is the caller's. */
const OWN_TOOLS = new Set<Json | undefined>(['function', 'custom', undefined]);

export function readCost(body: JsonObject): RequestCost {
  const reading = newReading();
  readReferences(reading, body, REFERENCES);
  objectsIn(body['messages']).forEach((message, index) => readMessage(reading, message, index));
  readTools(reading, body);
  reading.explained ||= isGiven(body['functions']) || isGiven(body['response_format']);
  const { thinking, reasoning, prediction, modalities } = body;
  if (isJsonObject(thinking)) readBudget(reading, thinking['budget_tokens']);
  if (isJsonObject(reasoning)) readBudget(reading, reasoning['max_tokens']);
  readBudget(reading, body['thinking_budget']);
  // What the model does not use of a prediction is billed as output.
  if (prediction !== undefined && prediction !== null)
    readBudget(reading, Buffer.byteLength(JSON.stringify(prediction)));
  const asked = Array.isArray(modalities) ? modalities : undefined;
  reading.mayAnswerAudio = asked?.includes('audio') === true || isJsonObject(body['audio']);
  reading.mayAnswerImages = asked?.includes('image') ?? true;
  readOption(reading, 'service_tier', body['service_tier']);
  readOption(reading, 'speed', body['speed']);
  readOption(reading, 'inference_geo', body['inference_geo']);
  reading.cachesForAnHour ||= isHourMark(body['cache_control']) || isHourMark(body['prompt_cache_options']);
  return costOf(reading, body, [body['max_completion_tokens'], body['max_tokens']], body['n']);
}

function readMessage(reading: CostReading, message: JsonObject, at: number): void {
  const { content, audio, images } = message;
  if (isJsonObject(audio)) refersOutside(reading, `messages[${at}].audio`);
  if (images !== undefined)
    objectsIn(images).forEach((part, index) => readPart(reading, part, `messages[${at}].images[${index}]`));
  if (!Array.isArray(content)) return;
  const place = `messages[${at}]`;
  content.forEach((part, index) => {
    if (isJsonObject(part)) readPart(reading, part, `${place}.content[${index}]`);
  });
}

function readPart(reading: CostReading, part: JsonObject, place: string): void {
  const { type } = part;
  reading.cachesForAnHour ||= isHourMark(part['cache_control']) || isHourMark(part['prompt_cache_breakpoint']);
  switch (type) {
    case undefined:
    case 'text':
    case 'refusal':
    case 'thinking':
    case 'redacted_thinking':
      return;
    case 'image_url':
    case 'input_image': {
      const url = part['image_url'];
      readImage(reading, isJsonObject(url) ? url['url'] : url, place);
      return;
    }
    case 'input_audio': {
      const audio = part['input_audio'];
      readAudio(reading, isJsonObject(audio) ? audio['data'] : undefined, place);
      return;
    }
    case 'file': {
      const { file } = part;
      readUntold(reading, isJsonObject(file) ? file['file_data'] : undefined, place);
      return;
    }
    case 'video_url': {
      const url = part['video_url'];
      readUntold(reading, isJsonObject(url) ? url['url'] : url, place);
      return;
    }
    default:
      refersOutside(reading, place);
  }
}

function readTools(reading: CostReading, body: JsonObject): void {
  const searching = SEARCHES.find((name) => body[name] !== undefined && isGiven(body[name]));
  if (searching !== undefined) readSearch(reading, searching);
  objectsIn(body['tools']).forEach((tool, index) => {
    reading.explained = true;
    if (OWN_TOOLS.has(tool['type'])) return;
    reading.runsTools = true;
    refersOutside(reading, `tools[${index}]`);
    if (/search/.test(JSON.stringify(tool))) readSearch(reading, `tools[${index}]`);
  });
}

/** How often the vendor searched, its report does not say: once is billed. */
function readSearch(reading: CostReading, field: string): void {
  reading.runsTools = true;
  reading.searches = Infinity;
  reading.uncountedSearches = 1;
  refersOutside(reading, field);
}

/** The caps that are above what the model gives, as members to write into a forwarded body. */
export function capEdits(body: JsonObject, most: number): Map<string, string> {
  const above = CAPS.filter((name) => amountOf(body[name]) > most);
  return new Map(above.map((name) => [name, String(most)]));
}

/** xAI's deferred completions are fetched later, and OpenRouter's list of models has prices of its own: nobody would be billed rightly. */
export function unbillable({ deferred, models }: JsonObject): Unbillable | undefined {
  if (isGiven(deferred)) {
    return {
      field: 'deferred',
      reason:
        'asks for an answer that is fetched later, which is not possible here; leave it out and wait for the answer',
    };
  }
  if (!isGiven(models)) return undefined;
  return { field: 'models', reason: 'asks for other models than `model` says, at other prices; name one in model' };
}
