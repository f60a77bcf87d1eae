/**
 * Words of other servers that make an answer longer, or more of them. Whoever speaks one of the dialects may know more words than its vendor
 * does: llama.cpp obeys `n_predict` (-1: without end), Ollama `options.num_predict`, vLLM `best_of` and `min_tokens`, others
 * `max_new_tokens`, `num_return_sequences` (docs/wire/openai-chat.md#request-fields). A word can only raise what is set aside: a server may not know it.
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** What such words of a body ask for. */
export interface OutputWords {
  /** Tokens of one answer; Infinity: without end. */
  readonly tokens: number;
  readonly answers: number;
}

const NONE: OutputWords = { tokens: 0, answers: 1 };
/** Members that are looked at; a body with more of them may ask for anything. */
const MOST_MEMBERS = 512;
const DEEPEST = 3;

/** Members that the dialects know, and that hold no such words or are read for them elsewhere. */
const KNOWN = new Set(
  [
    'model messages input contents system instructions systemInstruction tools toolConfig tool_choice functions function_call',
    'response_format responseFormat responseSchema responseJsonSchema text output_format output_config metadata labels user',
    'reasoning thinking thinkingConfig prediction audio modalities stop stop_sequences stopSequences logit_bias stream',
    'stream_options safetySettings prompt web_search_options context_management container mcp_servers cache_control',
    'temperature top_p topP seed service_tier store include',
  ].flatMap((line) => line.split(' ')),
);
/** Numbers that make no answer longer, though their names look like it: lower case, without underscores. */
const HARMLESS = new Set(
  [
    'topk minp topa typicalp toplogprobs logprobs promptlogprobs nprobs frequencypenalty presencepenalty repetitionpenalty',
    'repeatpenalty lengthpenalty repeatlastn numctx nctx contextlength maxcontextlength maxinputtokens maxprompttokens',
    'truncateprompttokens nkeep numkeep nbatch numbatch numgpu numthread maxtoolcalls maxretries maxsearchresults maxnumresults',
    'budgettokens thinkingbudget thinkingtokenbudget maxthinkingtokens dryallowedlength norepeatngramsize',
  ].flatMap((line) => line.split(' ')),
);
const TOKENS = /tok|len|predict|limit|generat|output|max|min/;
const ANSWERS = /^n$|best|beam|sequences|return|candidate|samples|choices|completions|generations/;

/** Reads the words of a body that its dialect does not. */
export function outputWords(body: JsonObject): OutputWords {
  const reading = { ...NONE, members: 0 };
  readMembers(reading, body, 1);
  return reading;
}

function readMembers(reading: { tokens: number; answers: number; members: number }, object: JsonObject, depth: number) {
  for (const name in object) {
    if (KNOWN.has(name)) continue;
    if (++reading.members > MOST_MEMBERS) {
      reading.tokens = Infinity;
      return;
    }
    const value = object[name];
    if (isJsonObject(value)) {
      if (depth < DEEPEST) readMembers(reading, value, depth + 1);
      continue;
    }
    const amount = numberIn(value);
    if (amount === undefined) continue;
    const word = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (HARMLESS.has(word)) continue;
    if (ANSWERS.test(word)) reading.answers = Math.max(reading.answers, amount);
    // Less than none is without end.
    else if (TOKENS.test(word)) reading.tokens = Math.max(reading.tokens, amount < 0 ? Infinity : amount);
  }
}

/** A number, or a text that lenient servers read as one. */
function numberIn(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 24 || value.trim() === '') return undefined;
  const amount = Number(value);
  return Number.isNaN(amount) ? undefined : amount;
}

/** Whether one of the values of a cap lifts it: servers take less than nothing, and what no number can hold, for without end. */
export function isEndless(values: readonly (Json | undefined)[]): boolean {
  return values.some((value) => {
    const amount = numberIn(value);
    return amount !== undefined && (amount < 0 || amount === Infinity);
  });
}
