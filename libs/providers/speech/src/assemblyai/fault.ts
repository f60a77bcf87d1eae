import { isJsonObject } from '@model-gateway/contracts';
import { readDialectFault, textAt, type Fault, type FaultWords, type UpstreamReply } from '@model-gateway/provider-kit';

/** Sentences, since the vendor has no codes (docs/wire/assemblyai.md#errors). */
const UNPAID = /balance|insufficient funds|payment|credit/i;
const UNKNOWN_MODEL = /speech[_ ]models?\b.*(?:invalid|not|unknown|must)/i;
const WORDS: FaultWords = {};

/** The refusal in a reply of AssemblyAI: `{error}`; a transcript that failed is an answer, with a status. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const { status, json } = reply;
  if (status < 400 || !isJsonObject(json)) return undefined;
  const message = textAt(json, 'error') ?? textAt(json, 'message') ?? '';
  const fault = readDialectFault({ ...reply, json: { error: { message } } }, WORDS);
  if (fault === undefined || status !== 400) return fault;
  // Whoever has no money left is told so by a plain 400.
  if (UNPAID.test(message)) return { ...fault, code: 'upstream_rejected_key', vendorCode: 'quota' };
  return UNKNOWN_MODEL.test(message) ? { ...fault, code: 'upstream_rejected_model' } : fault;
}
