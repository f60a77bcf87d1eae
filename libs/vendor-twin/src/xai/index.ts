import { bearer, same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { findJob, startJob, videoLink } from '../core/work.ts';
import { sizeFor } from '../core/values.ts';
import { bracketed, type Problem, type Reader } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import { type Route, type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import type { OpenAiError } from '../openai/errors.ts';
import { modelRoutes } from '../openai/models.ts';
import { responsesRoutes } from '../openai/responses.ts';

type Kind = 'generations' | 'edits' | 'extensions';

const WORDS: StatusWords<readonly [code: string, error: string]> = {
  400: ['invalid-argument', 'The request is invalid.'],
  401: ['unauthenticated', 'No or an invalid API key was provided.'],
  403: ['permission-denied', 'The caller does not have permission to execute the specified operation.'],
  404: ['not-found', 'The requested resource was not found.'],
  429: ['resource-exhausted', 'Too many requests. Please try again later.'],
  500: ['internal', 'Internal server error.'],
  503: ['unavailable', 'The service is currently unavailable.'],
};

/** xAI's error body: a code and a sentence side by side. */
function refuseAsXai(status: number, hints: RefusalHints = {}): Refusal {
  const [code, error] = wordsOf(WORDS, status);
  return new Refusal(status, { code, error: hints.message ?? error });
}

/** In streams, too, a code and a sentence. */
function chatErrorOfXai(status: number, { message }: OpenAiError): unknown {
  return refuseAsXai(status, { message }).body;
}

/** A route of OpenAI's that says no as xAI does. */
function inXaisWords(route: Route): Route {
  return {
    ...route,
    async handle(exchange) {
      try {
        await route.handle(exchange);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { error: said } = error.body as { readonly error?: Partial<OpenAiError> };
        throw said?.message === undefined ? error : refuseAsXai(error.status, { message: said.message });
      }
    },
  };
}

function complainAsXai({ path, want }: Problem): Refusal {
  return refuseAsXai(400, { message: `${bracketed(path)}: expected ${want}` });
}

/** xAI: Grok Imagine's videos, and chat in OpenAI's dialect. */
export const xai: Vendor<'xai'> = {
  name: 'xai',
  standsFor: [
    { vendor: 'openai-compatible', wire: 'xai' },
    { vendor: 'openai', wire: 'xai' },
  ],
  credentials: apiKey('xai'),
  basePath: '/v1',
  routes: [
    ...(['generations', 'edits', 'extensions'] as const).map((kind) => ({
      method: 'POST' as const,
      path: `/v1/videos/${kind}`,
      operation: 'create' as const,
      handle: async (exchange: Exchange) => create(exchange, kind),
    })),
    { method: 'GET', path: /^\/v1\/videos\/(?<id>[^/]+)$/, operation: 'poll', handle: poll },
    chatRoute('/v1/chat/completions', {
      strict: false,
      showsReasoning: true,
      wholeCalls: true,
      reword: chatErrorOfXai,
    }),
    ...responsesRoutes.map(inXaisWords),
    ...modelRoutes('/v1', 'xai', ['grok-4', 'grok-imagine-video', 'grok-imagine-video-1.5']),
  ],
  refuse: refuseAsXai,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('xai'))) throw refuseAsXai(401);
  },
};

const FIELDS = 'model prompt duration aspect_ratio resolution image reference_images reference_audios video'.split(' ');
const TICKS_PER_SECOND = 500_000_000;

async function create(exchange: Exchange, kind: Kind): Promise<void> {
  const body = exchange.json(complainAsXai);
  body.only(new Set(FIELDS));
  const model = body.oneOf('model', ['grok-imagine-video', 'grok-imagine-video-1.5'] as const);
  const prompt = body.string('prompt');
  const references = readInputs(body, kind);
  const resolution = body.optionalOneOf('resolution', ['480p', '720p', '1080p'] as const) ?? '480p';
  if (resolution === '1080p' && (model !== 'grok-imagine-video-1.5' || references > 0)) {
    body.fail('resolution', '480p or 720p for this model and input');
  }
  const ratio =
    body.optionalOneOf('aspect_ratio', ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'] as const) ?? '16:9';
  if (kind === 'edits' && body.has('duration')) body.fail('duration', 'no duration for an edit', 'unknown');
  const seconds = body.optionalInteger('duration', 1, 15) ?? 6;
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw refuseAsXai(400, { message: 'Content violates usage guidelines.' });
  const { stage } = exchange;
  const job = startJob(exchange, markers, {
    id: stage.newId('xv-'),
    kind: 'video',
    model,
    prompt,
    usage: { seconds, videos: 1 },
    details: { seconds, url: videoLink(stage, { ...sizeFor(resolution, ratio), seconds, audio: true, prompt }) },
  });
  exchange.reply(200, { request_id: job.id });
}

function readInputs(body: Reader, kind: Kind): number {
  const requireUrl = (item: Reader): void => {
    if (!/^(https?:\/\/|data:)/.test(item.string('url'))) item.fail('url', 'a URL');
  };
  const video = body.optionalObject('video');
  if (kind === 'generations' && video !== undefined) body.fail('video', 'no video: use edits or extensions', 'unknown');
  if (kind !== 'generations') requireUrl(body.object('video'));
  if (body.has('image')) requireUrl(body.object('image'));
  const references = body.objects('reference_images');
  references.forEach(requireUrl);
  if (references.length > 7) body.fail('reference_images', 'at most 7 images');
  if (body.objects('reference_audios').length > 3) body.fail('reference_audios', 'at most 3 recordings');
  return references.length;
}

/** 202 without a body while it runs. */
function poll(exchange: Exchange): void {
  const id = exchange.params['id'] ?? '';
  const job = findJob(exchange, id);
  if (job === undefined) throw refuseAsXai(404, { message: `No video with request id ${id}.` });
  const { jobs } = exchange.stage;
  const state = jobs.stateOf(job);
  const strange = exchange.word('');
  if (strange !== '') {
    exchange.reply(200, { status: strange });
    return;
  }
  if (state === 'queued' || state === 'running') {
    exchange.reply(202, '');
    return;
  }
  if (state === 'succeeded' || job.fate === 'moderation') {
    const passed = state === 'succeeded';
    const seconds = Number(job.details['seconds']);
    const video = { url: passed ? job.details['url'] : '', duration: seconds, respect_moderation: passed };
    const usage = { cost_in_usd_ticks: passed ? seconds * TICKS_PER_SECOND : 0 };
    exchange.reply(200, { status: 'done', model: job.model, progress: 100, video, usage });
    return;
  }
  const expired = state === 'expired';
  const error = {
    code: expired ? 'deadline-exceeded' : 'internal',
    message: expired ? 'The request expired.' : 'Video generation failed.',
  };
  exchange.reply(200, { status: expired ? 'expired' : 'failed', progress: 100, error });
}
