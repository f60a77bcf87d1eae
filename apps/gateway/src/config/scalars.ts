/** The plain values of the configuration file. */
import * as z from 'zod';

/** Interpolated scalars arrive as text. */
export const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
const asBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

export const number = (check: z.ZodNumber) => z.preprocess(asNumber, check);
export const positive = number(z.number().positive());
export const count = number(z.number().int().positive());
export const whole = number(z.number().int().nonnegative());
export const flag = z.preprocess(asBoolean, z.boolean());
export const name = z.string().min(1).max(100);
export const dollars = number(z.number().nonnegative());
