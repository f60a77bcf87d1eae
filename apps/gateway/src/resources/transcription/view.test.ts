/** Subtitles are right whatever is in the segments. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { TranscriptFormat } from '@model-gateway/core';
import type { Response } from 'express';
import { sendTranscript } from './view.ts';

/** What is sent, as text. */
function printed(format: TranscriptFormat, body: JsonObject & { text: string }): string {
  let sent = '';
  const response = {
    type: () => response,
    send: (text: string) => void (sent = text),
    json: (value: unknown) => void (sent = JSON.stringify(value)),
  };
  sendTranscript(response as unknown as Response, { body }, format);
  return sent;
}
const spoken = (...segments: JsonObject[]) => ({ text: 'x', segments });

describe('subtitles', () => {
  it.each([
    ['hours', { start: 3_725.0004, end: 360_000.9996, text: 'x' }, '01:02:05,000 --> 100:00:01,000'],
    ['less than nothing', { start: -0.5, end: 0.0005, text: 'x' }, '00:00:00,000 --> 00:00:00,001'],
  ])('times: %s', (_name, segment, line) => {
    expect(printed('srt', spoken(segment))).toBe(`1\n${line}\nx\n\n`);
  });

  it('a text with empty lines stays one cue, and what is empty is none', () => {
    const srt = printed('srt', spoken({ start: 0, end: 1, text: ' one\n\n two \n' }, { start: 1, end: 2, text: ' ' }));
    expect(srt).toBe('1\n00:00:00,000 --> 00:00:01,000\none\ntwo\n\n');
  });

  it('a text with an arrow is no line of times', () => {
    expect(printed('vtt', spoken({ start: 0, end: 1, text: 'a --> b' }))).toContain('\na -> b\n');
  });

  it('without segments the whole is one cue; without words there is none', () => {
    expect(printed('srt', { text: 'All of it.', duration: 2 })).toBe(
      '1\n00:00:00,000 --> 00:00:02,000\nAll of it.\n\n',
    );
    expect(printed('vtt', { text: '' })).toBe('WEBVTT\n\n');
  });

  it('what is no segment is left out', () => {
    expect(printed('srt', { text: '', segments: [null, 'x', { start: '0', end: 1, text: 'x' }] })).toBe('');
  });
});
