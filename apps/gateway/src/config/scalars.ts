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

/** `64mb` */
export const bytes = z.preprocess((value) => {
  const match = typeof value === 'string' ? /^(\d+)\s*(b|kb|mb|gb)?$/i.exec(value.trim()) : null;
  const scale = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match?.[2] ?? 'b').toLowerCase()] ?? 1;
  return match === null ? value : Number(match[1]) * scale;
}, z.number('expected a number of bytes such as 64mb').int().positive());
