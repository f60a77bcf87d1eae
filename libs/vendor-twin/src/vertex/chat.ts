/** Chat on Vertex AI: Gemini's methods, Claude's by `rawPredict`, and the door in OpenAI's form. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { messagesRoutes } from '../anthropic/messages.ts';
import { badMessage, refuseAsAnthropic } from '../anthropic/errors.ts';
import { badContent, refuseAsGoogle } from '../gemini/errors.ts';
import { generateRoutes } from '../gemini/generate.ts';
import { chatRoute } from '../openai/chat.ts';
import { methodOf, ROOT } from './paths.ts';

const CLAUDE_VERSION = 'vertex-2023-10-16';
const [messages, count] = messagesRoutes;
/** Of a count only these stand beside each other; there is no request as a whole. */
const COUNTED = new Set(['contents', 'systemInstruction', 'tools', 'generationConfig', 'instances', 'model']);

const gemini: readonly Route[] = generateRoutes.map((route) => {
  const method = /:(\w+)\$$/.exec((route.path as RegExp).source)?.[1] ?? '';
  return {
    ...route,
    path: methodOf('google', method),
    handle: async (exchange) => {
      refuseUnknownPublisherModel(exchange, 'google');
      const body = bodyOf(exchange);
      if (method === 'countTokens') {
        for (const name of Object.keys(body)) {
          if (!COUNTED.has(name))
            throw badContent(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
        }
      }
      const contents = Array.isArray(body['contents']) ? body['contents'] : [];
      // The Gemini API takes a missing role for the user's.
      if (contents.some((each) => isJsonObject(each) && each['role'] === undefined))
        throw badContent('Please use a valid role: user, model.');
      await route.handle(exchange);
    },
  };
});

const claude: readonly Route[] = ['rawPredict', 'streamRawPredict'].map((method) => ({
  method: 'POST',
  path: methodOf('anthropic', method),
  operation: ({ params }) => (params['model'] === 'count-tokens' ? 'count' : 'chat'),
  handle: async (exchange) => {
    const { model = '' } = exchange.params;
    const { anthropic_version: version, ...body } = bodyOf(exchange);
    if (version !== CLAUDE_VERSION) throw badMessage(`anthropic_version: Input should be '${CLAUDE_VERSION}'`);
    if (model === 'count-tokens') {
      exchange.restate(Buffer.from(JSON.stringify(body)));
      await count?.handle(exchange);
      return;
    }
    refuseUnknownPublisherModel(exchange, 'anthropic');
    if ('model' in body) throw badMessage('model: Extra inputs are not permitted');
    const streams = method === 'streamRawPredict';
    if ((body['stream'] === true) !== streams)
      throw refuseAsAnthropic(400, { message: `stream: must be ${String(streams)} for ${method}` });
    // Versions of models stand behind an @.
    exchange.restate(Buffer.from(JSON.stringify({ ...body, model: model.replace('@', '-') })));
    await messages?.handle(exchange);
  },
}));

const ofOpenAi = chatRoute('/', {
  strict: false,
  showsReasoning: true,
  reword: (status, { message }) => refuseAsGoogle(status, { message }).body,
});
const partners: Route = {
  ...ofOpenAi,
  path: new RegExp(`${ROOT}/endpoints/openapi/chat/completions$`),
  handle: async (exchange) => {
    const { model } = bodyOf(exchange);
    if (typeof model !== 'string' || !model.includes('/'))
      throw refuseAsGoogle(400, {
        message: `Malformed publisher model (expected {publisher}/{model}): ${JSON.stringify(model)}`,
      });
    if (/\/(?:no-such|unknown|missing)-/.test(model))
      throw refuseAsGoogle(404, { message: `Publisher Model \`${model}\` was not found.` });
    await ofOpenAi.handle(exchange);
  },
};

export const chatRoutes: readonly Route[] = [...gemini, ...claude, partners];

function bodyOf(exchange: Exchange): JsonObject {
  return exchange.json(() => refuseAsGoogle(400)).value;
}

export function refuseUnknownPublisherModel({ params }: Exchange, publisher: string): void {
  const { model = '', project = '', location = '' } = params;
  if (!/^(?:no-such|unknown|missing)-/.test(model)) return;
  const name = `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}`;
  throw refuseAsGoogle(404, {
    message: `Publisher Model \`${name}\` was not found or your project does not have access to it. Please ensure you are using a valid model version.`,
  });
}
