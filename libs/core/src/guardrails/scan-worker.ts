/** The thread in which long texts are looked through. */
import { parentPort } from 'node:worker_threads';
import type { Guardrail } from './guardrail.ts';
import { scannerOf, type Match, type Scanner, type LookedText } from './scanner.ts';

export interface ScanOrder {
  readonly guardrails: readonly Guardrail[];
  readonly texts: readonly LookedText[];
}

/** Scanners of sets of guardrails: patterns are compiled once. */
const MOST_SCANNERS = 32;
const scanners = new Map<string, Scanner>();

parentPort?.on('message', ({ guardrails, texts }: ScanOrder) => {
  const scanner = scannerFor(guardrails);
  const found: readonly (readonly Match[])[] = texts.map(({ text, ...looking }) => scanner.find(text, looking));
  parentPort?.postMessage(found);
});

function scannerFor(guardrails: readonly Guardrail[]): Scanner {
  const key = JSON.stringify(guardrails);
  let scanner = scanners.get(key);
  if (scanner === undefined) {
    if (scanners.size >= MOST_SCANNERS) scanners.clear();
    scanners.set(key, (scanner = scannerOf(guardrails)));
  }
  return scanner;
}
