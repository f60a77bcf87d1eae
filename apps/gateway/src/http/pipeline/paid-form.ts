/** Forms of paid operations: read within bounds, answered once for an Idempotency-Key, removed whatever came of it. */
import type { Request, Response } from 'express';
import { readForm, type Form } from '../form.ts';
import { contentOfForm, type RunIdempotently } from './idempotency.ts';

export interface PaidFormParts {
  readonly runIdempotently: RunIdempotently;
  /** Bytes of a whole form. */
  readonly formLimit: number;
}

/** `mostFiles` of `largestFile` bytes each. Throws what reading and `answer` throw. */
export async function answerForm(
  { runIdempotently, formLimit }: PaidFormParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  { mostFiles, largestFile }: { readonly mostFiles: number; readonly largestFile: number },
  answer: (form: Form) => Promise<void>,
): Promise<void> {
  const form = await readForm(request, {
    mostFiles,
    largestFile,
    largestBody: formLimit,
    hold: response.locals.exchange.bodyHold,
  });
  try {
    await runIdempotently(
      request,
      response,
      () => contentOfForm(form),
      () => answer(form),
    );
  } finally {
    await form.dispose();
  }
}
