import { describe, expect, it } from 'vitest';
import {
  languageName,
  localeOf,
  segmentsOfWords,
  SpeakerNames,
  transcriptOf,
  wholeTranscriptEvents,
  type TimedWord,
} from './transcript-form.ts';

/** Words of half a second each, one after the other; `|2` after a word is a pause of two seconds, `@B` its speaker. */
function wordsOf(text: string): TimedWord[] {
  let at = 0;
  return text.split(' ').map((written) => {
    const [, said = '', pause = '0', speaker] = /^([^|@]+)(?:\|(\d))?(?:@(\w))?$/.exec(written) ?? [];
    const start = at;
    at += 0.5 + Number(pause);
    return { text: said, start, end: start + 0.5, ...(speaker !== undefined && { speaker }) };
  });
}

describe('segments', () => {
  it.each([
    ['one two.', ['one two.']],
    ['one. two? three” four', ['one.', 'two?', 'three” four']],
    ['one.” two', ['one.”', 'two']],
    ['one|2 two|0 three', ['one', 'two three']],
    ['one@A two@A three@B four@A', ['one two', 'three', 'four']],
    ['今天 天气 很 好。 明天 见', ['今天天气很好。', '明天见']],
    ['今天 OK 吗', ['今天 OK 吗']],
  ])('%s', (text, segments) => {
    expect(segmentsOfWords(wordsOf(text)).map((segment) => segment.text)).toEqual(segments);
  });

  it('are no longer than two lines of subtitles, and lose no word', () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const segments = segmentsOfWords(wordsOf(text));
    expect(segments.length).toBeGreaterThan(3);
    expect(segments.every((segment) => segment.text.length <= 84)).toBe(true);
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text);
    expect(segments[0]).toMatchObject({ start: 0 });
    expect(segments.at(-1)).toMatchObject({ end: 30 });
  });

  it('of nothing are none', () => {
    expect(segmentsOfWords([])).toEqual([]);
  });
});

describe('forms', () => {
  const heard = { text: 'One. Two.', words: wordsOf('One.@A Two.@B'), language: 'eng', duration: 1.2 };
  const usage = { type: 'duration', seconds: 2 };

  it('json is the text', () => {
    expect(transcriptOf(heard, { form: 'json', task: 'transcribe', granularities: [] })).toEqual({
      text: 'One. Two.',
      usage,
    });
  });

  it('verbose_json has words where they are asked for', () => {
    const asked = { form: 'verbose_json', task: 'transcribe' } as const;
    const body = transcriptOf(heard, { ...asked, granularities: ['word'] });
    expect(body).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 1.2,
      text: 'One. Two.',
      segments: [
        { id: 0, start: 0, end: 0.5, text: 'One.' },
        { id: 1, start: 0.5, end: 1, text: 'Two.' },
      ],
      words: [
        { word: 'One.', start: 0, end: 0.5 },
        { word: 'Two.', start: 0.5, end: 1 },
      ],
      usage,
    });
    expect(transcriptOf(heard, { ...asked, granularities: ['segment'] })).not.toHaveProperty('words');
  });

  it('diarized_json names speakers, also as events', async () => {
    const body = transcriptOf(heard, { form: 'diarized_json', task: 'transcribe', granularities: [] });
    expect(body['segments']).toMatchObject([{ speaker: 'A', id: 'seg_0' }, { speaker: 'B' }]);
    const events = [];
    const answer = Promise.resolve({ body, usage: { seconds: 1.2 }, dropped: ['prompt'] });
    for await (const event of wholeTranscriptEvents(answer)) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['started', 'segment', 'segment', 'delta', 'done']);
    expect(events[0]).toMatchObject({ dropped: ['prompt'] });
  });

  it('silence is a text of nothing', async () => {
    const body = transcriptOf(
      { text: '', words: [], duration: 3 },
      { form: 'verbose_json', task: 'transcribe', granularities: [] },
    );
    expect(body).toMatchObject({ text: '', segments: [] });
    const types = [];
    for await (const { type } of wholeTranscriptEvents(Promise.resolve({ body, usage: {}, dropped: [] })))
      types.push(type);
    expect(types).toEqual(['started', 'done']);
  });
});

it.each([
  ['en', 'english', 'en-US'],
  ['eng', 'english', 'en-US'],
  ['en_us', 'english', 'en-US'],
  ['de-AT', 'german', 'de-AT'],
  ['pt', 'portuguese', 'pt-BR'],
  ['zh', 'chinese', 'zh-CN'],
  ['not a code', 'not a code', 'not a code'],
])('%s is %s, spoken in %s', (code, name, locale) => {
  expect([languageName(code), localeOf(code)]).toEqual([name, locale]);
});

it('speakers are named in the order in which they speak', () => {
  const names = new SpeakerNames();
  expect(['speaker_7', '0', 'speaker_7'].map((each) => names.of(each))).toEqual(['A', 'B', 'A']);
  for (let index = 2; index < 26; index++) names.of(String(index + 100));
  expect(names.of('one more')).toBe('Speaker 27');
});
