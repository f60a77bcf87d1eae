/** Answers that are given at once and whole: what happened is told in headers, whether it went well or not. */
import type { Response } from 'express';
import type { JsonObject } from '@model-gateway/contracts';
import { newTrace, type Trace } from '@model-gateway/core';
import { sendJson, sendJsonBytes, writeTrace } from '../http/reply.ts';

/** Runs the work of a request and sends what it comes to: an object, or the text of one. Throws what the work throws. */
export async function sendWhole(
  response: Response,
  work: (trace: Trace) => Promise<JsonObject | string>,
): Promise<void> {
  const trace = newTrace();
  response.locals.exchange.trace = trace;
  let body: JsonObject | string;
  try {
    body = await work(trace);
  } finally {
    writeTrace(response, trace);
  }
  await (typeof body === 'string' ? sendJsonBytes(response, body) : sendJson(response, body));
}
