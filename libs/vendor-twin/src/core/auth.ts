import { timingSafeEqual } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** The token of `Authorization: Bearer …`; undefined without one. */
export function bearer(exchange: Exchange): string | undefined {
  return /^Bearer (.+)$/i.exec(exchange.header('authorization') ?? '')?.[1];
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function same(given: string | undefined, known: string): boolean {
  if (given === undefined) return false;
  const left = Buffer.from(given);
  const right = Buffer.from(known);
  return left.length === right.length && timingSafeEqual(left, right);
}
