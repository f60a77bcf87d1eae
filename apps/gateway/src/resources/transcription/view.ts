/** A transcript in the form its caller asked for: JSON as the vendor told it, text, subtitles, events. */
import type { Response } from 'express';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { TranscriptFormat, WrittenEvent } from '@model-gateway/core';

interface Transcript {
  readonly body: JsonObject & { readonly text: string };
}

/** Answers with it. Subtitles are made of its segments; a transcript without any is one. */
export function sendTranscript(response: Response, { body }: Transcript, format: TranscriptFormat): void {
  const text = {
    text: textLine,
    srt: srtOf,
    vtt: vttOf,
    json: undefined,
    verbose_json: undefined,
    diarized_json: undefined,
  };
  const print = text[format];
  if (print === undefined) response.json(body);
  else response.type('text/plain').send(print(body));
}

/** The texts of the events as they are sent. */
export async function* transcriptEvents(events: AsyncIterable<WrittenEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    if (event.type === 'said') yield eventText(event.body);
    else {
      const { code, message } = event.error;
      yield `event: error\n${eventText({ type: 'error', error: { code, message } })}`;
    }
  }
}

/** Without a name of its own, as OpenAI sends them: its SDKs go by `type`. */
function eventText(body: JsonObject): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

interface Cue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function textLine({ text }: Transcript['body']): string {
  return `${text}\n`;
}

/** SubRip: numbered, with a comma before the milliseconds. */
function srtOf(body: Transcript['body']): string {
  return cuesOf(body)
    .map(({ start, end, text }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n\n`)
    .join('');
}

/** WebVTT: `-->` in a text would be read as times. */
function vttOf(body: Transcript['body']): string {
  const cues = cuesOf(body).map(
    ({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${text.replaceAll('-->', '->')}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

function cuesOf({ segments, text, duration }: Transcript['body']): readonly Cue[] {
  const cues = (Array.isArray(segments) ? segments : []).filter(isJsonObject).flatMap(cueOf);
  const whole = lineOf(text);
  if (cues.length > 0 || whole === '') return cues;
  return [{ start: 0, end: typeof duration === 'number' ? duration : 0, text: whole }];
}

function cueOf({ start, end, text, speaker }: JsonObject): readonly Cue[] {
  if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return [];
  const line = lineOf(text);
  if (line === '') return [];
  return [{ start, end, text: typeof speaker === 'string' ? `${speaker}: ${line}` : line }];
}

/** An empty line would end the cue. */
function lineOf(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, '\n');
}

/** `00:01:02,345` */
function clock(seconds: number, point: string): string {
  const all = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = String(all % 1000).padStart(3, '0');
  return `${two(all / 3_600_000)}:${two((all / 60_000) % 60)}:${two((all / 1000) % 60)}${point}${rest}`;
}
