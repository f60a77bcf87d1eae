/** The configuration file's form (docs/architecture.md#configuration). Strict everywhere: an unknown key is a fault with its path. */
import { DIALECT_NAMES } from '@model-gateway/contracts';
import { isAddressRange, MODEL_KINDS, rowSettings } from '@model-gateway/core';
import { KEY_LIMITS, LIMIT_NAMES, type LimitName } from '../admin/key-limits.ts';
import { parseOpening } from '@model-gateway/provider-kit';
import { z } from 'zod';

export const SHORTEST_METRICS_KEY = 16;

/** Interpolated scalars arrive as text. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
const asBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

const number = (check: z.ZodNumber) => z.preprocess(asNumber, check);
const positive = number(z.number().positive());
const count = number(z.number().int().positive());
const whole = number(z.number().int().nonnegative());
const flag = z.preprocess(asBoolean, z.boolean());
const name = z.string().min(1).max(100);
const dollars = number(z.number().nonnegative());

const bytes = z.preprocess((value) => {
  const match = typeof value === 'string' ? /^(\d+)\s*(b|kb|mb|gb)?$/i.exec(value.trim()) : null;
  const scale = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match?.[2] ?? 'b').toLowerCase()] ?? 1;
  return match === null ? value : Number(match[1]) * scale;
}, z.number('expected a number of bytes such as 64mb').int().positive());

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

const limits = z.strictObject(
  Object.fromEntries(
    LIMIT_NAMES.map((limit) => [limit, (KEY_LIMITS[limit].unit === 'count' ? count : dollars).optional()]),
  ) as Record<LimitName, z.ZodOptional<typeof count>>,
);

export const keySchema = z.strictObject({
  name,
  key: z.string().min(16, 'a key needs 16 characters or more'),
  owner: number(z.number().int().positive()).optional(),
  group: name.optional(),
  models: z.array(name).optional(),
  ip_ranges: z.array(range).optional(),
  expires_at: instant.optional(),
  webhook_secret: z.string().startsWith('whsec_', 'a webhook secret starts with whsec_').optional(),
  limits: limits.optional(),
});

export const accountSchema = z.strictObject({
  id: number(z.number().int().positive()),
  name,
  vendor: name,
  base_url: z.url().optional(),
  credentials: z.record(z.string(), z.string()).optional(),
  wire: z.string().optional(),
  settings: z.record(z.string(), z.string()).optional(),
  dialects: z.array(z.enum(DIALECT_NAMES)).optional(),
  max_concurrency: number(z.number().int().positive()).optional(),
  timeout_seconds: z
    .strictObject({ connect: positive.optional(), first_byte: positive.optional(), idle: positive.optional() })
    .optional(),
  on_disconnect: z.enum(['drain', 'abort']).optional(),
});

const price = z.strictObject({
  input: dollars.optional(),
  cached_input: dollars.optional(),
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
  resolution_factors: z.record(z.string(), dollars).optional(),
  audio_factor: dollars.optional(),
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
  dialect: z.enum(DIALECT_NAMES).optional(),
  dialects: z.array(z.enum(DIALECT_NAMES)).min(1).optional(),
  priority: number(z.number()).optional(),
  weight: positive.optional(),
  quirks: z.record(z.string(), z.json()).optional(),
});

export const modelSchema = z
  .strictObject({
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
    offers: z.array(offer).min(1),
    price: price.optional(),
  })
  .superRefine((row, context) => {
    const { bodies } = rowSettings(row.kind);
    if (bodies === undefined && row.body !== undefined)
      context.addIssue({ code: 'custom', path: ['body'], message: `a model of kind ${row.kind} has no body` });
    if (bodies !== undefined && (row.body === undefined || !bodies.includes(row.body))) {
      context.addIssue({
        code: 'custom',
        path: ['body'],
        message: `a model of kind ${row.kind} needs one of ${bodies.join(', ')}`,
      });
    }
  });

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().min(1).optional(),
      port: number(z.number().int().min(0).max(65535)).optional(),
      admin_port: number(z.number().int().min(0).max(65535)).optional(),
      public_url: z.url().optional(),
      body_limit: bytes.optional(),
      body_memory: bytes.optional(),
      workers: number(
        z
          .number()
          .int()
          .min(1)
          .max(1, 'one process has one worker in this version; run several processes on one PostgreSQL instead'),
      ).optional(),
      drain_seconds: whole.optional(),
      trusted_proxies: z.array(range).optional(),
      unknown_keys_per_minute: count.optional(),
      kept_answers: bytes.optional(),
      metrics_key: z
        .string()
        .min(SHORTEST_METRICS_KEY, `it needs ${SHORTEST_METRICS_KEY} characters or more`)
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
  durability: z.strictObject({ above: dollars.optional(), worst_cases: whole.optional() }).optional(),
  twin: z.strictObject({ enabled: flag.optional(), video_seconds: positive.optional() }).optional(),
  tasks: z.strictObject({ poll_seconds: positive.optional(), deadline_hours: positive.optional() }).optional(),
  files: z
    .strictObject({
      folder: z.string().optional(),
      keep_hours: positive.optional(),
      kept_pictures: bytes.optional(),
      copy_results: flag.optional(),
      s3: z
        .strictObject({
          endpoint: z.url(),
          bucket: name,
          region: z.string().optional(),
          access_key: z.string(),
          secret_key: z.string(),
          prefix: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  security: z
    .strictObject({
      allow_private: z.array(opening).optional(),
      unknown_vendor_ids: z.enum(['refuse', 'pass']).optional(),
    })
    .optional(),
  log: z
    .strictObject({ level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional() })
    .optional(),
  groups: z.record(z.string(), z.strictObject({ factor: dollars })).optional(),
  keys: z.array(keySchema).optional(),
  accounts: z.array(accountSchema).optional(),
  models: z.array(modelSchema).optional(),
});

export type ConfigFile = z.infer<typeof configSchema>;
export type AccountRow = z.infer<typeof accountSchema>;
export type ModelFileRow = z.infer<typeof modelSchema>;
export type KeyFileRow = z.infer<typeof keySchema>;
