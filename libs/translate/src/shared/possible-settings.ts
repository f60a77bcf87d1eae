/** Settings that no wire takes: refused under the caller's own name, before a vendor would refuse them under its own. */
import type { DialectName } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { Setting } from '../facts.ts';
import { fieldName } from './field-names.ts';
import { invalid } from './read.ts';

/** The widest range that any wire takes, by setting. */
const RANGES = [
  ['maxOutputTokens', 1, Infinity],
  ['count', 1, Infinity],
  ['temperature', 0, 2],
  ['topP', 0, 1],
  ['topK', 0, Infinity],
  ['topLogprobs', 0, 20],
  ['presencePenalty', -2, 2],
  ['frequencyPenalty', -2, 2],
] as const satisfies readonly (readonly [Setting & keyof ChatRequest, number, number])[];

/** Throws `invalid_request`; requests that the target's own callers wrote are the vendor's to judge. */
export function requirePossible(request: ChatRequest, dialect: DialectName): void {
  if (request.dialect === dialect) return;
  for (const [setting, least, most] of RANGES) {
    const value = request[setting];
    if (value === undefined || (value >= least && value <= most)) continue;
    const right = most === Infinity ? `${least} or more` : `between ${least} and ${most}`;
    throw invalid(fieldName(request, setting), `must be ${right}, not ${value}`);
  }
  requireChosenTools(request);
}

function requireChosenTools(request: ChatRequest): void {
  const { toolChoice, tools } = request;
  if (toolChoice === undefined || !('name' in toolChoice || 'names' in toolChoice) || tools.length === 0) return;
  const names = new Set<string>();
  for (const tool of tools) {
    // What a vendor's own tools are called by a choice is known to that vendor.
    if (tool.type !== 'function' && tool.type !== 'custom') return;
    names.add(tool.name);
  }
  const chosen = 'name' in toolChoice ? [toolChoice.name] : toolChoice.names;
  const missing = chosen.find((name) => !names.has(name));
  if (missing === undefined) return;
  throw invalid(
    fieldName(request, 'toolChoice'),
    `names the tool ${JSON.stringify(missing)}, which is not among tools`,
  );
}

/** Throws for two tools of one name, on wires that refuse them. */
export function requireDistinctTools({ tools }: ChatRequest): void {
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool.type !== 'function' && tool.type !== 'custom') continue;
    if (names.has(tool.name))
      throw invalid(tool.place ?? 'tools', `has the name ${JSON.stringify(tool.name)}, as a tool before it has`);
    names.add(tool.name);
  }
}
