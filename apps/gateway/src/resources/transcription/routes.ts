/** What is said in a recording, written down or translated: a form in, JSON, text or events out. */
import type { Request, Response } from 'express';
import { OPERATIONS } from '@model-gateway/contracts';
import {
  findModel,
  newTrace,
  readTranscriptionForm,
  type ApiKeyAuthenticator,
  type Catalogue,
  type ModelRow,
  type TranscriptionCall,
  type Transcriptions,
} from '@model-gateway/core';
import type { Handler, Handlers } from '../../http/operation.ts';
import { mediaControl } from '../../http/request-control.ts';
import { admitModel } from '../../http/steps/limits.ts';
import { answerForm, type PaidFormParts } from '../../http/steps/idempotency.ts';
import { pipeBody, startEventStream, writeTrace } from '../../http/reply.ts';
import { includesCost, withCost } from '../../http/answer-cost.ts';
import { sendTranscript, transcriptEvents } from './view.ts';

export interface TranscriptionRouteParts extends PaidFormParts {
  readonly transcriptions: Transcriptions;
  readonly catalogue: () => Catalogue;
  readonly authenticator: ApiKeyAuthenticator;
  readonly now: () => number;
}

/** Handlers of the transcription operations. */
export function transcriptionRoutes(parts: TranscriptionRouteParts): Handlers {
  return {
    createTranscription: recordingHandler(parts, 'transcribe', OPERATIONS.createTranscription.path),
    createTranslation: recordingHandler(parts, 'translate', OPERATIONS.createTranslation.path),
  };
}

type Task = Parameters<typeof readTranscriptionForm>[2];

function recordingHandler(parts: TranscriptionRouteParts, task: Task, endpoint: string): Handler {
  const bounds = { mostFiles: 2, largestFile: parts.formLimit };
  return (request: Request, response: Response) =>
    answerForm(parts, { request, response }, bounds, async (form) => {
      admitModel(parts.authenticator, response, form.fields.get('model'), 'transcription');
      const row = findModel(parts.catalogue(), response.locals.exchange.model, ['transcription']);
      const read = (each: ModelRow) => readTranscriptionForm(form, each, task);
      const caller = response.locals.exchange.caller;
      const control = mediaControl(request, parts.catalogue, caller.key.group);
      await answer(parts, { request, response }, { caller, row, ask: read(row), read, endpoint, ...control });
    });
}

async function answer(
  { transcriptions, now }: TranscriptionRouteParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  call: TranscriptionCall,
): Promise<void> {
  const exchange = response.locals.exchange;
  const trace = newTrace();
  exchange.trace = trace;
  const isCosted = includesCost(request);
  try {
    if (!call.ask.stream) {
      const transcript = await transcriptions.transcribe(call, trace);
      writeTrace(response, trace);
      sendTranscript(response, transcript, call.ask.format);
      return;
    }
    const events = await transcriptions.stream(call, trace);
    writeTrace(response, trace);
    exchange.firstByteAt = now();
    exchange.streamed = true;
    startEventStream(response);
    const texts = transcriptEvents(events);
    await pipeBody(isCosted ? withCost(texts, trace) : texts, response);
  } catch (error) {
    if (!response.headersSent) writeTrace(response, trace);
    throw error;
  }
}
