/** Which vendors stop a streamed answer, and its bill, when its connection is closed. The facts and their source: docs/wire/stream-cancellation.md. */
import type { AnsweringAccount, StreamCancellation } from './declaration.ts';

const SOURCE = 'https://openrouter.ai/docs/api-reference/streaming#stream-cancellation';

export const STREAM_STOPS_BILLING: StreamCancellation = { stopsBilling: true, source: SOURCE };
export const STREAM_KEEPS_BILLING: StreamCancellation = { stopsBilling: false, source: SOURCE };

/** By the end of a host's name, and by the names that accounts give in `provider`. */
const STOPPING: Readonly<Record<string, readonly string[]>> = {
  'api.openai.com': ['openai'],
  'openai.azure.com': ['azure', 'azure.ai.openai'],
  'cognitiveservices.azure.com': [],
  'api.anthropic.com': ['anthropic'],
  'api.fireworks.ai': ['fireworks'],
  'api.together.xyz': ['together'],
  'api.together.ai': [],
  'api.cohere.com': ['cohere'],
  'api.cohere.ai': [],
  'api.x.ai': ['x_ai', 'xai'],
  'api.deepseek.com': ['deepseek'],
  'api.cloudflare.com': ['cloudflare'],
  'gateway.ai.cloudflare.com': [],
  'api.novita.ai': ['novita'],
  'api.deepinfra.com': ['deepinfra'],
  'api.hyperbolic.xyz': ['hyperbolic'],
  'api.friendli.ai': ['friendli'],
  'llm.chutes.ai': ['chutes'],
};
const BILLING_ON: Readonly<Record<string, readonly string[]>> = {
  'amazonaws.com': ['aws.bedrock', 'bedrock'],
  'api.groq.com': ['groq'],
  'googleapis.com': ['gcp.gemini', 'gcp.vertex_ai', 'google'],
  'api.minimax.io': ['minimax'],
  'api.minimaxi.com': [],
  'huggingface.co': ['huggingface'],
  'api.replicate.com': ['replicate'],
  'api.perplexity.ai': ['perplexity'],
  'api.mistral.ai': ['mistral_ai', 'mistral'],
  'api.ai21.com': ['ai21'],
  'api.sambanova.ai': ['sambanova'],
  'aliyuncs.com': ['alibaba'],
  'nebius.com': ['nebius'],
  'nebius.ai': [],
};

/** Names and addresses of the operator's own network; what answers there is a model server of the operator's, unless `provider` says who it is. */
const PRIVATE_HOST =
  /^(?:localhost|.*\.localhost|.*\.local|.*\.internal|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|169\.254\..*|\[::1\]|\[f[cd][0-9a-f]{2}:.*\]|[^.[\]:]+)$/;
const OWN_SERVER: StreamCancellation = {
  stopsBilling: true,
  isOwnServer: true,
  source: 'vLLM, llama.cpp, Ollama and SGLang stop a request whose connection is closed',
};

/** What is known of whoever answers at an account of a wire that many have: by its `provider`, else by its address. */
export function cancellationOfServer({
  baseUrl,
  settings,
  isVendor = false,
}: AnsweringAccount & {
  /** An address of the operator's own network is a way to the vendor. */
  readonly isVendor?: boolean;
}): StreamCancellation | undefined {
  const { provider = '' } = settings;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  const isAmong = (servers: Readonly<Record<string, readonly string[]>>): boolean =>
    provider === ''
      ? Object.keys(servers).some((name) => host === name || host.endsWith(`.${name}`))
      : Object.values(servers).some((names) => names.includes(provider));
  if (isAmong(STOPPING)) return STREAM_STOPS_BILLING;
  if (isAmong(BILLING_ON)) return STREAM_KEEPS_BILLING;
  return provider === '' && !isVendor && PRIVATE_HOST.test(host) ? OWN_SERVER : undefined;
}
