// Writes apps/gateway/config/vendor-models.yaml: the chat models of vendors that speak OpenAI's wire, with their limits and prices, from a checkout of
// models.dev (MIT; one TOML file a model): node tools/vendor-models.mjs --models-dev <folder> --date <day of the checkout>. Facts alone are taken over.
import './needs-node-24.mjs';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { stringify } from 'yaml';
import { readArguments } from './read-arguments.mjs';

const TARGET = fileURLToPath(new URL('../apps/gateway/config/vendor-models.yaml', import.meta.url));
/** Accounts of the built-in catalogue, and the folder of the list that has their models. */
const VENDORS = {
  openrouter: 'openrouter',
  mistral: 'mistral',
  groq: 'groq',
  together: 'togetherai',
  fireworks: 'fireworks-ai',
  perplexity: 'perplexity',
  cerebras: 'cerebras',
  nebius: 'nebius',
  deepinfra: 'deepinfra',
  novita: 'novita-ai',
  nvidia: 'nvidia',
  huggingface: 'huggingface',
  cloudflare: 'cloudflare-workers-ai',
  'github-models': 'github-models',
  databricks: 'databricks',
  snowflake: 'snowflake-cortex',
  moonshot: 'moonshotai',
  'moonshot-cn': 'moonshotai-cn',
  zai: 'zai',
  zhipu: 'zhipuai',
  stepfun: 'stepfun',
  siliconflow: 'siliconflow',
  'siliconflow-cn': 'siliconflow-cn',
  modelscope: 'modelscope',
  'dashscope-intl': 'alibaba',
  'ollama-cloud': 'ollama-cloud',
  cohere: 'cohere',
};
/** Fine points that hold for every model of a vendor's wire. */
const QUIRKS = { mistral: { max_tokens_field: 'max_tokens' } };
/** Models that fill in the middle of a text, by account, and what their offers say for it. */
const COMPLETES = {
  mistral: { names: /^codestral/, quirks: { completion_answers: 'chat', seed_field: 'random_seed' } },
};
/** What the list does not say of a model: what is counted beside its usual tokens, at which price, and how much of it there may be. */
const BESIDE = {
  'perplexity/sonar-deep-research': {
    limits: { max_reasoning_tokens: 150_000 },
    price: { reasoning: 3, web_search: 0.005 },
  },
};
/** Accounts of model servers that people run themselves: whatever they have, at no price. */
const OWN_SERVERS = {
  ollama: 'Ollama',
  vllm: 'vLLM',
  sglang: 'SGLang',
  llamacpp: 'llama.cpp',
  lmstudio: 'LM Studio',
  tgi: 'Text Generation Inference',
  localai: 'LocalAI',
  xinference: 'Xinference',
};
const INPUTS = { text: 'text', image: 'image', audio: 'audio', video: 'video', pdf: 'document' };
/** Names of what writes no text that somebody reads. */
const NO_CHAT = /whisper|tts|speech|embed|rerank|guard|moderation|ocr|orpheus|image-gen|parakeet|voxtral-.*transcribe/i;

const { 'models-dev': folder, date } = readArguments(import.meta.url, {
  'models-dev': { type: 'string' },
  date: { type: 'string' },
});
if (folder === undefined || !/^\d{4}-\d\d-\d\d$/.test(date ?? '')) {
  console.error('Usage: node tools/vendor-models.mjs --models-dev <folder> --date <year-month-day>');
  process.exit(2);
}
const models = [
  ...Object.entries(VENDORS).flatMap(([account, vendor]) => rowsOf(account, vendor)),
  ...Object.entries(OWN_SERVERS).map(([account, name]) => ownRow(account, name)),
];
writeFileSync(TARGET, textOf(models));
console.log(`${models.length} models of ${Object.keys(VENDORS).length} vendors`);

function rowsOf(account, vendor) {
  const models = join(folder, 'providers', vendor, 'models');
  // Some are links to models of other vendors, which may have gone.
  return globSync('**/*.toml', { cwd: models })
    .filter((file) => existsSync(join(models, file)))
    .toSorted()
    .flatMap((file) => {
      const row = rowOf(account, file.replace(/\.toml$/, ''), readModel(join(models, file)));
      return row === undefined ? [] : [row];
    });
}

function ownRow(account, name) {
  return {
    code: `${account}/*`,
    kind: 'chat',
    description: `Any chat model of your own ${name}`,
    limits: { inputs: ['text', 'image', 'audio'] },
    // Ollama alone refuses an effort for a model that does not think; the others pass it over.
    offers: [
      { account, model: '*', dialect: 'openai-chat', ...(account === 'ollama' && { quirks: { thinking: 'none' } }) },
    ],
    source: 'your own server',
    price: 'free',
  };
}

/** One model, over the one that it is said to be. */
function readModel(path) {
  const own = parseToml(readFileSync(path, 'utf8'));
  const base = own.base_model && join(folder, 'models', `${own.base_model}.toml`);
  if (!base || !existsSync(base)) return own;
  const known = parseToml(readFileSync(base, 'utf8'));
  return { ...known, ...own, limit: { ...known.limit, ...own.limit } };
}

/** Undefined for what is no chat, has no price, or is going. */
function rowOf(account, id, { name, cost, limit, modalities, status, ...about }) {
  const writes = modalities?.output ?? ['text'];
  if (NO_CHAT.test(id) || writes.some((each) => each !== 'text') || cost === undefined || status === 'deprecated')
    return;
  if (!(limit?.context > 0) || !(limit.output > 0)) return;
  const code = `${account}/${id}`;
  const inputs = (modalities?.input ?? ['text']).map((each) => INPUTS[each]).filter(Boolean);
  const completes = COMPLETES[account]?.names.test(id) === true ? COMPLETES[account] : undefined;
  const quirks = { ...completes?.quirks, ...QUIRKS[account], ...quirksOf(about) };
  const wires = completes ? { dialects: ['openai-chat', 'openai-completions'] } : { dialect: 'openai-chat' };
  return {
    code,
    kind: 'chat',
    description: name,
    limits: {
      max_input_tokens: limit.context,
      max_output_tokens: Math.min(limit.output, limit.context),
      inputs,
      ...BESIDE[code]?.limits,
    },
    offers: [{ account, model: id, ...wires, ...(Object.keys(quirks).length > 0 && { quirks }) }],
    source: 'models.dev',
    checked: date,
    price: { ...priceOf(cost), ...BESIDE[code]?.price },
  };
}

function quirksOf({ reasoning, reasoning_options: options = [], temperature, structured_output: structured }) {
  const takesEffort = reasoning === true && options.some(({ type }) => type === 'effort');
  return {
    ...(!takesEffort && { thinking: 'none' }),
    ...(temperature === false && { sampling: false }),
    ...(structured === false && { structured_output: false }),
  };
}

/** Dollars per million tokens, as ours are; the dearest of several steps of context counts from its size on. */
function priceOf({
  input,
  output,
  cache_read: cached,
  cache_write: written,
  reasoning,
  input_audio: heard,
  tiers = [],
}) {
  const steps = tiers.filter(({ tier }) => tier?.size > 0);
  return {
    input,
    ...(cached !== undefined && { cached_input: cached }),
    ...(written > 0 && { cache_write: written }),
    output,
    ...(reasoning > output && { reasoning }),
    ...(heard > input && { input_audio: heard }),
    ...(steps.length > 0 && input > 0 && output > 0 && { long_context: longContext(steps, { input, output }) }),
  };
}

/** From the first step on the dearest: rows know one step. */
function longContext(steps, usual) {
  const factorOf = (unit) =>
    Math.round(Math.max(1, ...steps.map((step) => (step[unit] ?? usual[unit]) / usual[unit])) * 10_000) / 10_000;
  const above = Math.min(...steps.map(({ tier }) => tier.size));
  return { above, input: factorOf('input'), output: factorOf('output') };
}

function textOf(models) {
  const lines = models.map((row) => `  - ${stringify(row, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`);
  return `# Chat models of vendors that speak OpenAI's wire; read where the vendor's account has its key. tools/vendor-models.mjs writes this file from models.dev
# (MIT licence, list of ${date}). A price that is wrong for you is a row of the same code in your own file.
models:
${lines.join('\n')}
`;
}
