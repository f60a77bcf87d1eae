/** The configuration file's form (docs/architecture.md#configuration). Strict everywhere: an unknown key is a fault with its path. */
import { WIRE_NAMES } from '@model-gateway/contracts';
import { isAddressRange, MODEL_KINDS } from '@model-gateway/core';
import { KEY_LIMITS, LIMIT_NAMES, type LimitName } from '../resources/keys/limits.ts';
import { parseOpening } from '@model-gateway/provider-kit';
import * as z from 'zod';
import { SIGNALS } from '../telemetry/settings.ts';
import { MOST_VALUES, SPEND_LABELS } from '../telemetry/spend-labels.ts';
import { alertsSchema } from './alerts.ts';
import { mayBeGiven } from './given-headers.ts';
import { guardrailSchema } from './guardrails.ts';
import { mcpSchema } from './mcp.ts';
import { passThroughSchema } from './pass-through.ts';
import { routeMembers, routeTimeouts } from './route-schema.ts';
import { callersSchema } from './caller-tokens.ts';
import { singleSignOnSchema } from './single-sign-on.ts';
import { budgetsSchema } from './spend-budgets.ts';
import { asNumber, bytes, count, dollars, flag, name, number, positive, whole } from './scalars.ts';

const CREDIT_FORM = 'expected US dollars that may be owed, 0 for prepaid, or none for no limit';
const OWNER_FORM = 'expected the name of one of owners, or the number of an owner';

export const SHORTEST_METRICS_KEY = 16;
/** In place of a key: whoever reaches the port may read the metrics. */
export const OPEN_METRICS = 'none';
/** What is kept of requests in the database. */
export const REQUEST_LOGS = ['off', 'metadata', 'bodies'] as const;
export const LOG_FORMATS = ['auto', 'json', 'text'] as const;
/** Where models, accounts and budgets are kept. */
export const CONFIG_KEPT_IN = ['file', 'database'] as const;
/** What `server.workers` may be. */
export const WORKERS_FORM = "expected a number of processes from 1 to the machine's cores, or auto";

/** Members of chat bodies that make the request what it is. */
const CALLERS_OWN = new Set([
  'background',
  'contents',
  'conversation',
  'input',
  'messages',
  'model',
  'previous_response_id',
  'prompt',
  'stream',
  'stream_options',
]);

const opening = z.string().refine((text) => {
  try {
    parseOpening(text);
    return true;
  } catch {
    return false;
  }
}, 'expected an address or range, port optional: 10.0.0.0/8 or 127.0.0.1:9000');

const range = z.string().refine(isAddressRange, 'expected an address or range such as 10.0.0.0/8');

const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time such as 2027-01-01T00:00:00Z');

const day = z
  .string()
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
    'expected a day such as 2026-11-25',
  );

const limits = z.strictObject(
  Object.fromEntries(
    LIMIT_NAMES.map((limit) => [limit, (KEY_LIMITS[limit].unit === 'count' ? count : dollars).optional()]),
  ) as Record<LimitName, z.ZodOptional<typeof count>>,
);

export const ownerSchema = z.strictObject({
  name: name.refine(
    (text) => typeof asNumber(text) === 'string',
    'a name that is a number cannot be told from the number of an owner; use a letter',
  ),
  group: name.optional(),
  credit_limit: z.preprocess(asNumber, z.union([z.literal('none'), dollars], CREDIT_FORM)).optional(),
  organization: name.optional(),
});

export const keySchema = z.strictObject({
  name,
  key: z.string().min(16, 'a key needs 16 characters or more'),
  owner: z.preprocess(asNumber, z.union([name, z.number().int().positive()], OWNER_FORM)).optional(),
  group: name.optional(),
  models: z.array(name).optional(),
  ip_ranges: z.array(range).optional(),
  expires_at: instant.optional(),
  webhook_secret: z.string().startsWith('whsec_', 'a webhook secret starts with whsec_').optional(),
  limits: limits.optional(),
  keep_bodies: flag.optional(),
});

/** What `security.encryption_key` is, or each of several. */
export const ENCRYPTION_KEY_FORM = 'expected 32 random bytes in base64 (openssl rand -base64 32), or a list of such';
const encryptionKey = z.string().refine(isEncryptionKey, ENCRYPTION_KEY_FORM);

/** Whether a text is 32 bytes in base64. */
export function isEncryptionKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
}

/** Seconds. */
const timeouts = z.strictObject({
  connect: positive.optional(),
  first_byte: positive.optional(),
  idle: positive.optional(),
});

/** Sent along with every call to the vendor; what the gateway writes itself is not theirs. */
const headers = z.record(
  z.string().refine(mayBeGiven, 'the gateway or its callers write this header, or its name is not one'),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header has no line breaks and no characters beyond Latin-1'),
);

/** Members of a chat body, as the vendor's wire has them, for requests that say nothing of them. */
const bodyFields = z.record(
  name.refine((text) => !CALLERS_OWN.has(text), 'what is asked, and of which model, is the caller’s to say'),
  z.json(),
);

/** The most of any minute, and of a day of UTC. */
const budget = z.strictObject({
  requests_per_minute: count.optional(),
  tokens_per_minute: count.optional(),
  dollars_per_minute: positive.optional(),
  requests_per_day: count.optional(),
  tokens_per_day: count.optional(),
  dollars_per_day: positive.optional(),
});

const ownerId = number(z.number().int().positive());

/** A list of keys stands for their text with commas. */
const credentials = z.preprocess(
  (value) => {
    if (typeof value !== 'object' || value === null || !('api_keys' in value)) return value;
    const { api_keys: keys, ...others } = value;
    const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    return isList && !('api_key' in others) ? { ...others, api_key: keys.join(',') } : value;
  },
  z.record(z.string(), z.string()),
);

/** What a row that costs nothing says in place of its prices. */
export const FREE = 'free';

const prices = z.strictObject({
  input: dollars.optional(),
  cached_input: dollars.optional(),
  cached_input_audio: dollars.optional(),
  cached_input_image: dollars.optional(),
  cache_write: dollars.optional(),
  cache_write_1h: dollars.optional(),
  output: dollars.optional(),
  reasoning: dollars.optional(),
  output_tokens: dollars.optional(),
  input_audio: dollars.optional(),
  output_audio: dollars.optional(),
  input_image: dollars.optional(),
  output_image: dollars.optional(),
  image: dollars.optional(),
  second: dollars.optional(),
  video: dollars.optional(),
  character: dollars.optional(),
  web_search: dollars.optional(),
  search_unit: dollars.optional(),
  cache_storage: dollars.optional(),
  resolution_factors: z.record(z.string(), dollars).optional(),
  audio_factor: dollars.optional(),
  batch: number(z.number().positive().max(1)).optional(),
  long_context: z.strictObject({ above: count, input: dollars, output: dollars }).optional(),
  factors: z
    .strictObject({
      service_tier: z.record(z.string(), dollars).optional(),
      speed: z.record(z.string(), dollars).optional(),
      inference_geo: z.record(z.string(), dollars).optional(),
      'anthropic-beta': z.record(z.string(), dollars).optional(),
    })
    .optional(),
});

const price = z.preprocess((value) => (value === FREE ? { input: 0, output: 0 } : value), prices);

/** Of models that no row has: what vendors of chat and embedding models bill by. */
const defaultPrice = z.preprocess(
  (value) => (value === FREE ? { input: 0, output: 0 } : value),
  prices.pick({
    input: true,
    cached_input: true,
    cache_write: true,
    cache_write_1h: true,
    output: true,
    reasoning: true,
    web_search: true,
  }),
);

/** An address, or several with commas between. */
const addresses = z.preprocess(
  (value) => (typeof value === 'string' ? value.replaceAll(/\s*,\s*(?=https?:)/gi, ',') : value),
  z.url(),
);

export const accountSchema = z.strictObject({
  id: number(z.number().int().positive()).optional(),
  name,
  vendor: name,
  base_url: addresses.optional(),
  credentials: credentials.optional(),
  regions: z.array(name).min(1).optional(),
  models: z.array(name).min(1).optional(),
  default_price: defaultPrice.optional(),
  wire: z.string().optional(),
  settings: z.record(z.string(), z.string()).optional(),
  dialects: z.array(z.enum(WIRE_NAMES)).optional(),
  max_concurrency: number(z.number().int().positive()).optional(),
  max_jobs: count.optional(),
  budget: budget.extend({ models: z.record(name, budget).optional(), learn: flag.optional() }).optional(),
  timeout_seconds: timeouts.optional(),
  headers: headers.optional(),
  body_fields: bodyFields.optional(),
  on_disconnect: z.enum(['auto', 'drain', 'abort']).optional(),
  on_truncation: z.enum(['auto', 'tell', 'refuse', 'ignore']).optional(),
  propagate_trace: flag.optional(),
  owners: z.array(ownerId).min(1).optional(),
  vendor_ids: z.record(name, z.array(ownerId).min(1)).optional(),
  pass_through: passThroughSchema.optional(),
});

/** Limits that reservations and caps are made of; the others are told to callers as they stand. */
const rowLimits = z
  .object({
    max_input_tokens: count.optional(),
    max_output_tokens: count.optional(),
    max_reasoning_tokens: whole.optional(),
    max_image_tokens: count.optional(),
    max_web_searches: whole.optional(),
    max_tool_rounds: count.optional(),
  })
  .catchall(z.json());

const offer = z.strictObject({
  account: name,
  model: name,
  dialect: z.enum(WIRE_NAMES).optional(),
  dialects: z.array(z.enum(WIRE_NAMES)).min(1).optional(),
  priority: number(z.number()).optional(),
  weight: positive.optional(),
  quirks: z.record(z.string(), z.json()).optional(),
});

/** A day: links in answers, and what is true of the world, last no longer. */
const LONGEST_CACHE_SECONDS = 86_400;

const modelSchema = z.strictObject({
  code: name,
  aliases: z.array(name).optional(),
  kind: z.enum(MODEL_KINDS),
  description: z.string().optional(),
  body: z.enum(['content', 'input', 'image-urls', 'omni', 'prompt', 'seconds', 'messages']).optional(),
  voices: z.array(name).optional(),
  limits: rowLimits.optional(),
  created: instant.optional(),
  deadline_hours: positive.optional(),
  usual_seconds: positive.optional(),
  cache: z
    .strictObject({
      ttl_seconds: number(z.number().positive().max(LONGEST_CACHE_SECONDS)),
      when: z.enum(['deterministic', 'always']).optional(),
      share: number(z.number().min(0).max(1)).optional(),
    })
    .optional(),
  prompt_cache: z.enum(['auto', 'none']).optional(),
  offers: z.array(offer).min(1),
  price: price.optional(),
  source: z.string().min(1).optional(),
  checked: day.optional(),
  deprecated: day.optional(),
  retires: day.optional(),
  timeout_seconds: timeouts.extend(routeTimeouts).optional(),
  headers: headers.optional(),
  body_fields: bodyFields.optional(),
  ...routeMembers,
});

/** A row as it is read: one that has routes needs no offers. */
export const readModelSchema = modelSchema.extend({ offers: z.array(offer) });

/** What a row of the file may leave out where it changes a built-in one. */
const accountInFile = accountSchema.partial({ vendor: true });
const modelInFile = modelSchema.partial({ kind: true, offers: true });

/** A bucket that speaks S3's REST API. */
const bucket = z.strictObject({
  endpoint: z.url(),
  bucket: name,
  region: z.string().optional(),
  access_key: z.string(),
  secret_key: z.string(),
  prefix: z.string().optional(),
});

export const configSchema = z.strictObject({
  extends: z.enum(['builtin', 'none']).optional(),
  config: z.strictObject({ source: z.enum(CONFIG_KEPT_IN).optional() }).optional(),
  remove: z.strictObject({ models: z.array(name).optional(), accounts: z.array(name).optional() }).optional(),
  server: z
    .strictObject({
      host: z.string().min(1).optional(),
      port: number(z.number().int().min(0).max(65535)).optional(),
      admin_port: number(z.number().int().min(0).max(65535)).optional(),
      public_url: z.url().optional(),
      body_limit: bytes.optional(),
      body_memory: bytes.optional(),
      workers: z
        .preprocess(asNumber, z.union([z.literal('auto'), z.number().int().min(1).max(1024)], WORKERS_FORM))
        .optional(),
      drain_delay_seconds: whole.optional(),
      drain_seconds: whole.optional(),
      trusted_proxies: z.array(range).optional(),
      unknown_keys_per_minute: count.optional(),
      region: name.optional(),
      kept_answers: bytes.optional(),
      response_cache: bytes.optional(),
      resumable_streams: z.number().int().min(0).max(10_000).optional(),
      metrics_key: z
        .string()
        .regex(
          new RegExp(`^(?:${OPEN_METRICS}|[^]{${SHORTEST_METRICS_KEY},})$`),
          `it needs ${SHORTEST_METRICS_KEY} characters or more, or is '${OPEN_METRICS}': nobody is asked for one`,
        )
        .optional(),
    })
    .optional(),
  database: z
    .strictObject({
      url: z
        .string()
        .regex(/^(sqlite:|postgres(ql)?:\/\/)/, 'expected sqlite:./file or postgres://…')
        .optional(),
    })
    .optional(),
  redis: z
    .strictObject({
      url: z
        .string()
        .regex(/^rediss?:\/\//, 'expected redis://…')
        .optional(),
    })
    .optional(),
  money: z.strictObject({ overdraft: dollars.optional() }).optional(),
  durability: z.strictObject({ above: dollars.optional(), worst_cases: whole.optional() }).optional(),
  twin: z.strictObject({ enabled: flag.optional(), video_seconds: positive.optional() }).optional(),
  tasks: z
    .strictObject({
      poll_seconds: positive.optional(),
      deadline_hours: positive.optional(),
      queue_seconds: positive.optional(),
      vendor_webhooks: flag.optional(),
    })
    .optional(),
  files: z
    .strictObject({
      folder: z.string().optional(),
      keep_hours: positive.optional(),
      kept_pictures: bytes.optional(),
      largest_upload: bytes.optional(),
      uploads: bytes.optional(),
      uploads_count: positive.optional(),
      at_vendors_from: bytes.optional(),
      copy_results: flag.optional(),
      s3: bucket.optional(),
    })
    .optional(),
  security: z
    .strictObject({
      allow_private: z.array(opening).optional(),
      unknown_vendor_ids: z.enum(['refuse', 'pass']).optional(),
      encryption_key: z.union([encryptionKey, z.array(encryptionKey).min(1)], ENCRYPTION_KEY_FORM).optional(),
    })
    .optional(),
  responses: z
    .strictObject({
      keep_days: positive.optional(),
      kept_bytes: bytes.optional(),
      compaction_model: name.optional(),
      compaction_prompt: z.string().min(1).optional(),
    })
    .optional(),
  batches: z
    .strictObject({
      concurrency: number(z.int().min(1).max(1000)).optional(),
      keep_days: positive.optional(),
      max_waiting: number(z.int().min(1)).optional(),
      kept_bytes: bytes.optional(),
      vendor: z.enum(['when_cheaper', 'never']).optional(),
    })
    .optional(),
  telemetry: z
    .strictObject({
      endpoint: z.url({ protocol: /^https?$/ }).optional(),
      headers: z.record(z.string(), z.string()).optional(),
      signals: z.array(z.enum(SIGNALS)).optional(),
      sample: number(z.number().min(0).max(1)).optional(),
      service_name: name.optional(),
      metrics_seconds: positive.optional(),
      capture_content: flag.optional(),
      content_limit: bytes.optional(),
      spend: z
        .strictObject({
          labels: z.array(z.enum(SPEND_LABELS)).optional(),
          values: number(z.number().int().min(1).max(MOST_VALUES)).optional(),
        })
        .optional(),
    })
    .optional(),
  usage_export: z
    .strictObject({ s3: bucket, every_minutes: number(z.number().min(1).max(1440)).optional() })
    .optional(),
  requests: z
    .strictObject({
      log: z.enum(REQUEST_LOGS).optional(),
      keep_days: number(z.number().positive().max(3650)).optional(),
      bodies_keep_days: number(z.number().positive().max(3650)).optional(),
      body_limit: bytes.optional(),
    })
    .optional(),
  console: z
    .strictObject({
      enabled: flag.optional(),
      session_hours: positive.optional(),
      idle_minutes: positive.optional(),
      oidc: singleSignOnSchema(limits).optional(),
    })
    .optional(),
  callers: callersSchema(limits).optional(),
  log: z
    .strictObject({
      level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
      format: z.enum(LOG_FORMATS).optional(),
      file: z.string().min(1).optional(),
    })
    .optional(),
  groups: z
    .record(z.string(), z.strictObject({ factor: dollars, queue_weight: count.optional(), may_route: flag.optional() }))
    .optional(),
  owners: z.array(ownerSchema).optional(),
  keys: z.array(keySchema).optional(),
  budgets: budgetsSchema.optional(),
  accounts: z.array(accountInFile).optional(),
  models: z.array(modelInFile).optional(),
  default_model: name.optional(),
  alerts: alertsSchema.optional(),
  guardrails: z.array(guardrailSchema).optional(),
  mcp: mcpSchema.optional(),
});

export type ConfigFile = z.infer<typeof configSchema>;
/** An account with its id: written, or made of its name. */
export type AccountRow = z.infer<typeof accountSchema> & { readonly id: number };
export type BudgetRow = z.infer<typeof budget>;
export type ModelFileRow = z.infer<typeof readModelSchema>;
export type OwnerFileRow = z.infer<typeof ownerSchema>;
export type KeyFileRow = z.infer<typeof keySchema>;
