/** Counts parameters that did not reach a vendor as they were sent, by day, key, model and parameter, until the counts are written. */
import type { DroppedCount, DroppedParameter, RequestRow } from '../ports.ts';

const DAY_MS = 86_400_000;
/** Names of one key on one day. Callers choose the names, so a key that makes up new ones shares one line after these. */
const MOST_NAMES = 100;
/** Keys whose names a process remembers. */
const MOST_KEYS = 5_000;
const LONGEST_NAME = 96;
const LONGEST_REASON = 160;
const OTHER_PARAMETER = 'other';

/** Parameters that metrics name; all others are `other`. */
const NAMED: ReadonlySet<string> = new Set(
  (
    'temperature top_p topP top_k topK seed stop stop_sequences stopSequences n candidateCount logprobs top_logprobs logit_bias ' +
    'frequency_penalty presence_penalty max_tokens max_completion_tokens max_output_tokens maxOutputTokens response_format text ' +
    'reasoning reasoning_effort thinking thinkingConfig output_config verbosity tools tool_choice toolConfig parallel_tool_calls strict ' +
    'cache_control prompt_cache_key prompt_cache_retention cachedContent service_tier store metadata user safety_identifier truncation ' +
    'include modalities audio prediction web_search_options search_context_size detail citations context_management container ' +
    'mcp_servers safetySettings labels dimensions encoding_format input_type truncate taskType title max_tokens_per_doc ' +
    'return_documents size quality style background output_format output_compression moderation instructions speed voice language ' +
    'prompt negative_prompt negativePrompt watermark duration resolution ratio is_error messages system input contents'
  ).split(' '),
);

/** One parameter, whichever element of a list it was in: `messages[].content[].cache_control`. */
export function parameterName(field: string): string {
  return field.slice(0, LONGEST_NAME).replace(/\[\d+\]|\.\d+(?=\.|$)/g, '[]');
}

/** The parameter as a label of metrics, which is one of a fixed list. */
export function parameterLabel(field: string): string {
  const name = parameterName(field);
  const words = name.split(/[.[\]]+/).filter((word) => word !== '');
  return [name, words.at(-1), words[0]].find((word) => word !== undefined && NAMED.has(word)) ?? OTHER_PARAMETER;
}

/** What a row tells of the parameters that a request lost. */
export function droppedParameter(field: string, reason: string): DroppedParameter {
  return { parameter: parameterName(field), reason: reason.slice(0, LONGEST_REASON) };
}

export class DroppedCounts {
  private counts = new Map<string, DroppedCount>();
  private names = new Map<number, { readonly day: number; readonly known: Set<string> }>();

  count({ lost, keyId, ownerId, mode, model = '', at }: RequestRow): void {
    if (lost === undefined) return;
    const day = Math.floor(at / DAY_MS);
    // A parameter counts once for a request, in however many of its messages it was.
    for (const [name, reason] of new Map(lost.map((each) => [each.parameter, each.reason]))) {
      const of = this.isKnown({ keyId, day }, `${model} ${name}`)
        ? { model, parameter: name, reason }
        : { model: '', parameter: OTHER_PARAMETER, reason: '' };
      this.add({ ...of, ownerId, mode, keyId, day, requests: 1, firstAt: at, lastAt: at });
    }
  }

  /** What was counted since the last time. */
  take(): readonly DroppedCount[] {
    const taken = [...this.counts.values()];
    this.counts = new Map();
    return taken;
  }

  /** What could not be written is counted again. */
  putBack(counts: readonly DroppedCount[]): void {
    for (const count of counts) this.add(count);
  }

  /** Whether a line is for this name, which it is as long as the key has few. */
  private isKnown({ keyId, day }: Pick<DroppedCount, 'keyId' | 'day'>, name: string): boolean {
    let names = this.names.get(keyId);
    if (names === undefined || names.day < day) {
      if (this.names.size >= MOST_KEYS) this.names = new Map();
      this.names.set(keyId, (names = { day, known: new Set() }));
    }
    if (names.known.size < MOST_NAMES) names.known.add(name);
    return names.known.has(name);
  }

  private add(count: DroppedCount): void {
    const place = `${count.day} ${count.keyId} ${count.model} ${count.parameter}`;
    const known = this.counts.get(place);
    if (known === undefined) {
      this.counts.set(place, count);
      return;
    }
    const latest = count.lastAt >= known.lastAt ? count : known;
    this.counts.set(place, {
      ...latest,
      requests: known.requests + count.requests,
      firstAt: Math.min(known.firstAt, count.firstAt),
    });
  }
}
