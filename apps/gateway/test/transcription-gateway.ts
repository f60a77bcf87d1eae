/** A gateway whose transcription models are the twin's, billed for real, and what was charged. */
import type { LedgerEntry } from '@model-gateway/core';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

export interface TranscriptionGateway extends TestGateway {
  /** The charge of a request, as soon as it is in the ledger. */
  charge(requestId: string): Promise<LedgerEntry>;
  /** Whether anything was charged for it, once all that is under way is written down. */
  isFree(requestId: string): Promise<boolean>;
}

/** Starts it; `close` stops the twin, too. */
export async function openTranscriptionGateway(): Promise<TranscriptionGateway> {
  const twin: VendorTwin = await startVendorTwin({ media: 'tiny' });
  const account = (id: number, name: string, more = ''): string =>
    `  - { id: ${id}, name: ${name}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' }${more} }`;
  const limits = 'formats: [json, text], include: [logprobs], max_seconds: 60';
  const gateway = await openTestGateway({
    twin,
    yaml: `extends: none
accounts:
${account(1, 'first')}
${account(2, 'second')}
${account(3, 'cut', ', on_disconnect: abort')}
models:
  - { code: whisper-1, kind: transcription, limits: { formats: [json, text, srt, vtt, verbose_json], include: [], translates: true, max_bytes: 200000 }, offers: [{ account: first, model: whisper-1 }], price: { second: 0.0001 } }
  - { code: whisper-twice, kind: transcription, limits: { translates: true }, offers: [{ account: first, model: whisper-1, priority: 1 }, { account: second, model: whisper-1, priority: 2 }], price: { second: 0.0001 } }
  - { code: by-tokens, kind: transcription, limits: { ${limits} }, offers: [{ account: first, model: gpt-4o-transcribe }], price: { input: 2.5, input_audio: 6, output: 10 } }
  - { code: by-tokens-cut, kind: transcription, limits: { ${limits} }, offers: [{ account: cut, model: gpt-4o-transcribe }], price: { input: 2.5, input_audio: 6, output: 10 } }
  - { code: speakers, kind: transcription, limits: { formats: [json, text, srt, vtt, diarized_json], include: [] }, offers: [{ account: first, model: gpt-4o-transcribe-diarize }], price: { input: 2.5, input_audio: 6, output: 10 } }
  - { code: chat, kind: chat, offers: [{ account: first, model: gpt-5.2, dialect: openai-chat }], price: { input: 1, output: 1 } }
`,
  });
  const { ledger } = gateway.server.parts.store;
  return {
    ...gateway,
    async charge(requestId) {
      for (let round = 0; round < 400; round++) {
        const [entry] = await ledger.entries({ requestId, kind: 'capture', limit: 1 });
        if (entry !== undefined) return entry;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('nothing was charged');
    },
    async isFree(requestId) {
      await gateway.server.own.flush();
      return (await ledger.entries({ requestId, kind: 'capture', limit: 1 })).length === 0;
    },
    async close() {
      await gateway.close();
      await twin.close();
    },
  };
}
