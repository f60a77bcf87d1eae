/** The document with the portal's code samples in it, where Redoc, Scalar and others look for them. */
import { operationsOf, resolve, type ApiDocument, type Example } from './document.ts';
import { calledBy, samplesOf } from './samples.ts';

/** Adds `x-codeSamples` to every operation, made of its first example. */
export function withSamples(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document);
  for (const operation of operationsOf(copy)) {
    if (operation.webhook) continue;
    const [form, media] = Object.entries(operation.object.requestBody?.content ?? {})[0] ?? [];
    const first: Example | undefined = Object.values(media?.examples ?? {})[0];
    const example = first === undefined ? undefined : resolve(copy, first);
    const samples = samplesOf(calledBy(operation, example, form === 'multipart/form-data'));
    Object.assign(operation.object, {
      'x-codeSamples': samples.map(({ label, language, code }) => ({ lang: language, label, source: code })),
    });
  }
  return copy;
}
