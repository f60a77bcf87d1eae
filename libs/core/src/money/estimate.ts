/** What a request would cost at most, for any body of any endpoint, without asking anybody (POST /v1/estimate). */
import {
  GatewayError,
  type DialectName,
  type JsonObject,
  type Usage,
  UNITS_PER_DOLLAR,
} from '@model-gateway/contracts';
import type { ImageCreate } from '@model-gateway/provider-kit';
import { findModel, type Catalogue, type ModelRow } from '../catalogue.ts';
import { outputCount } from '../kinds/chat/body.ts';
import { estimateTokens } from '../kinds/chat/count.ts';
import { chatFormatOf } from '../kinds/chat/endpoints.ts';
import { decodeImageBody } from '../kinds/image/image-body.ts';
import { speechOfChat, speechOfSpeech } from '../kinds/speech/speech.ts';
import { readSubjectBody } from '../kinds/video/subjects.ts';
import { readVideoBody } from '../kinds/video/video-body.ts';
import { mostOfImages, sizeClass, usageOfSpeech } from './expected.ts';
import { billOf, type Bill } from './price.ts';
import { videoBill } from '../kinds/video/video-price.ts';

export interface Quote {
  readonly model: string;
  readonly bill: Bill;
  readonly priceVersion: string;
}

const GEMINI = /^\/(?:v1beta|v1)\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;
const FREE = ['/v1/messages/count_tokens', '/v1/general/advanced-custom-elements'];
const ENDPOINTS =
  '/v1/chat/completions, /v1/responses, /v1/messages, /v1beta/models/{model}:generateContent, /v1/images/generations, /v1/images/edits, /v1/audio/speech, /v1/video/generations, /v1/videos';

/** The model a request names: in its path or in its body. Throws `invalid_request`. */
export function modelOfRequest(endpoint: string, body: JsonObject): string {
  const inPath = GEMINI.exec(endpoint)?.[1];
  const model = inPath === undefined ? body['model'] : decodeURIComponent(inPath);
  if (typeof model === 'string' && model !== '') return model;
  // Subjects find a model that knows them.
  if (endpoint === '/v1/general/advanced-custom-elements') return '';
  throw new GatewayError('invalid_request', 'model is missing; name a model code of GET /v1/models', {
    param: 'model',
  });
}

/** Quotes one request; throws what the endpoint would throw for a bad body, and `invalid_request` for an endpoint that costs nothing to know. */
export function quoteRequest(
  catalogue: Catalogue,
  { endpoint, body, group }: { readonly endpoint: string; readonly body: JsonObject; readonly group: string },
): Quote {
  const code = modelOfRequest(endpoint, body);
  const factor = catalogue.groupFactors[group] ?? 1;
  const quote = (model: string, bill: Bill): Quote => ({ model, bill, priceVersion: catalogue.priceVersion });
  const free = (model: string): Quote => quote(model, { units: 0, lines: [], groupFactor: factor });
  const gemini = GEMINI.exec(endpoint);
  if (gemini?.[2] === 'countTokens' || FREE.includes(endpoint)) {
    if (endpoint === '/v1/general/advanced-custom-elements') readSubjectBody(body);
    return free(code);
  }
  const row = findModel(catalogue, code);
  const tokens = (dialect: DialectName): Quote =>
    quote(row.code, billOf(chatUsage(dialect, body, row), row.price, { group: factor }));
  const characters = (text: string): Quote =>
    quote(row.code, billOf(usageOfSpeech(text), row.price, { group: factor }));
  if (endpoint === '/v1/chat/completions' && row.kind === 'speech') return characters(speechOfChat(body, row).text);
  const format = chatFormatOf(endpoint);
  if (format !== undefined) {
    requireKind(row, 'chat');
    return tokens(format);
  }
  switch (endpoint) {
    case '/v1/audio/speech':
      requireKind(row, 'speech');
      return characters(speechOfSpeech(body, row).text);
    case '/v1/images/generations':
    case '/v1/images/edits': {
      requireKind(row, 'image', 'image-edit');
      const input = imageOf(endpoint, body, row);
      const factors = { group: factor, resolution: sizeClass(input.size) };
      return quote(row.code, billOf(mostOfImages(input), row.price, factors));
    }
    case '/v1/video/generations':
    case '/v1/videos': {
      requireKind(row, 'video');
      const { draft } = readVideoBody(body, row, endpoint === '/v1/videos' ? 'videos' : 'generations');
      return quote(row.code, videoBill(catalogue, row, draft, group));
    }
    default:
      throw new GatewayError(
        'invalid_request',
        `endpoint is '${endpoint.slice(0, 120)}'; it must be the path of a request that is paid: ${ENDPOINTS}`,
        { param: 'endpoint' },
      );
  }
}

/** US dollars of quota units. */
export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR;
}

function chatUsage(dialect: DialectName, body: JsonObject, row: ModelRow): Usage {
  const most = row.limits['max_output_tokens'];
  return {
    inputTokens: estimateTokens(body),
    outputTokens: outputCount(dialect, body, typeof most === 'number' ? most : undefined),
  };
}

/** An edit has at least one picture, which a form sends as a file: it is not among the text fields. */
function imageOf(endpoint: string, body: JsonObject, row: ModelRow): ImageCreate {
  const { images, mask: _mask, image: _image, ...rest } = body;
  const input = decodeImageBody(endpoint === '/v1/images/edits' ? rest : body, row);
  if (endpoint !== '/v1/images/edits') return input;
  const count = Array.isArray(images) ? Math.max(1, images.length) : 1;
  return { ...input, images: Array.from({ length: count }, () => ({ url: '', param: 'image' })) };
}

function requireKind(row: ModelRow, ...kinds: readonly ModelRow['kind'][]): void {
  if (kinds.includes(row.kind)) return;
  throw new GatewayError(
    'invalid_request',
    `the model '${row.code}' is of kind ${row.kind}, which this endpoint does not serve`,
    { param: 'model' },
  );
}
