/** The form of what a row says of the way of its requests (docs/guides/routing-reference.md). */
import {
  AFFINITIES,
  REQUEST_INPUTS,
  RETRIED_FAULTS,
  STRATEGIES,
  WEEKDAYS,
  type RetriedFault,
} from '@model-gateway/core';
import * as z from 'zod';
import { count, name, number, positive, whole } from './scalars.ts';

const FAULTS = Object.keys(RETRIED_FAULTS) as RetriedFault[];
const names = z.array(name).min(1);
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 22:30');

const zone = z.string().refine((text) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}, 'expected a time zone of the IANA’s table such as Europe/Berlin, or UTC');

const when = z.strictObject({
  keys: names.optional(),
  groups: names.optional(),
  tags: z.record(name, names).optional(),
  inputs: z.array(z.enum(REQUEST_INPUTS)).min(1).optional(),
  input_tokens: z.strictObject({ from: whole.optional(), below: count.optional() }).optional(),
  regions: names.optional(),
  time: z
    .strictObject({
      from: timeOfDay.optional(),
      until: timeOfDay.optional(),
      days: z.array(z.enum(WEEKDAYS)).min(1).optional(),
      zone: zone.optional(),
    })
    .optional(),
});

const target = z.strictObject({
  model: name,
  when: when.optional(),
  priority: number(z.number()).optional(),
  weight: positive.optional(),
});

/** Members of a model's row. */
export const routeMembers = {
  routes: z.array(target).min(1).max(100).optional(),
  fallbacks: z
    .strictObject({
      on_error: names.optional(),
      on_context_too_long: names.optional(),
      on_content_refusal: names.optional(),
    })
    .optional(),
  strategy: z.enum(STRATEGIES).optional(),
  affinity: z.enum([...AFFINITIES, 'none']).optional(),
  on_break: z.enum(['continue', 'error']).optional(),
  hedge: z
    .strictObject({
      percentile: number(z.number().min(50).max(99.9)).optional(),
      budget: number(z.number().min(0).max(1)).optional(),
    })
    .optional(),
  retries: z
    .strictObject({
      attempts: number(z.number().int().min(1).max(20)).optional(),
      on: z.array(z.enum(FAULTS)).optional(),
      budget: number(z.number().min(0).max(1)).optional(),
    })
    .optional(),
};

/** Beside the deadlines that accounts have, too; seconds. */
export const routeTimeouts = { first_token: positive.optional(), total: positive.optional() };

export type WhenRow = z.infer<typeof when>;
