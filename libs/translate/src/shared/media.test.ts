import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import {
  audioFormat,
  cleanBase64,
  mediaFromBase64,
  mediaFromUrl,
  mediaOfReply,
  mimeOfUrl,
  parseDataUrl,
  sniffMime,
} from './media.ts';
import { PNG } from '../samples.ts';

const bytes = (...values: number[]): string => Buffer.from(values).toString('base64');
const RIFF = [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4];

describe('sniffMime', () => {
  it.each([
    { name: 'png', data: PNG, mime: 'image/png' },
    { name: 'jpeg', data: bytes(0xff, 0xd8, 0xff, 0xe0), mime: 'image/jpeg' },
    { name: 'gif', data: Buffer.from('GIF89a..').toString('base64'), mime: 'image/gif' },
    { name: 'webp', data: Buffer.from([...RIFF, ...Buffer.from('WEBPVP8 ')]).toString('base64'), mime: 'image/webp' },
    { name: 'wav', data: Buffer.from([...RIFF, ...Buffer.from('WAVEfmt ')]).toString('base64'), mime: 'audio/wav' },
    { name: 'mp3 with a tag', data: Buffer.from('ID3\u0004').toString('base64'), mime: 'audio/mpeg' },
    { name: 'pdf', data: Buffer.from('%PDF-1.7').toString('base64'), mime: 'application/pdf' },
    { name: 'mp4', data: Buffer.from('\0\0\0\u0020ftypisom').toString('base64'), mime: 'video/mp4' },
    { name: 'quicktime', data: Buffer.from('\0\0\0\u0020ftypqt  ').toString('base64'), mime: 'video/quicktime' },
    { name: 'words', data: Buffer.from('hello there').toString('base64'), mime: undefined },
    { name: 'nothing', data: '', mime: undefined },
  ])('knows $name', ({ data, mime }) => {
    expect(sniffMime(data)).toBe(mime);
  });
});

describe('parseDataUrl', () => {
  it.each([
    { name: 'the plain form', url: `data:image/png;base64,${PNG}`, mime: 'image/png' },
    { name: 'parameters before base64', url: `data:image/png;charset=utf-8;base64,${PNG}`, mime: 'image/png' },
    { name: 'no type at all', url: `data:;base64,${PNG}`, mime: 'image/png' },
    { name: 'a wrong type', url: `data:image/jpeg;base64,${PNG}`, mime: 'image/png' },
    { name: 'capital letters', url: `DATA:IMAGE/PNG;BASE64,${PNG}`, mime: 'image/png' },
    {
      name: 'line breaks in the data',
      url: `data:image/png;base64,${PNG.slice(0, 20)}\r\n${PNG.slice(20)}`,
      mime: 'image/png',
    },
    { name: 'no padding', url: `data:image/png;base64,${PNG.slice(0, -2)}`, mime: 'image/png' },
    {
      name: 'the URL alphabet',
      url: `data:image/png;base64,${PNG.replaceAll('+', '-').replaceAll('/', '_')}`,
      mime: 'image/png',
    },
  ])('takes $name', ({ url, mime }) => {
    expect(parseDataUrl(url, 'here')).toEqual({ mime, data: PNG });
  });

  it('takes text that is not base64', () => {
    const data = Buffer.from('a b€').toString('base64');
    expect(parseDataUrl('data:text/csv,a%20b%E2%82%AC', 'here')).toEqual({ mime: 'text/csv', data });
  });

  it.each([
    { name: 'no comma', url: 'data:image/png;base64' },
    { name: 'no data', url: 'data:image/png;base64,' },
    { name: 'no base64', url: 'data:image/png;base64,###' },
    { name: 'unknown bytes of unknown type', url: 'data:;base64,aGVsbG8=' },
  ])('refuses $name and says where', ({ url }) => {
    expect(() => parseDataUrl(url, 'messages[0].content[1]')).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'messages[0].content[1]' } }),
    );
  });
});

describe('URLs', () => {
  it('keeps an address and guesses its type', () => {
    expect(mediaFromUrl('https://x.test/a.PDF?v=1', 'p')).toEqual({
      type: 'url',
      url: 'https://x.test/a.PDF?v=1',
      mime: 'application/pdf',
    });
    expect(mediaFromUrl('https://x.test/a', 'p')).toEqual({ type: 'url', url: 'https://x.test/a' });
    expect(mimeOfUrl('https://x.test/constructor')).toBeUndefined();
  });

  it('refuses what is no address', () => {
    expect(() => mediaFromUrl('cat.png', 'p')).toThrow(GatewayError);
    expect(mediaOfReply('cat.png')).toBeUndefined();
    expect(mediaOfReply(undefined)).toBeUndefined();
  });
});

describe('base64 fields', () => {
  it('corrects the declared type, keeps it where bytes are silent', () => {
    expect(mediaFromBase64(PNG, 'image/jpeg', 'p')).toEqual({ type: 'base64', mime: 'image/png', data: PNG });
    expect(mediaFromBase64('AAAA', 'audio/pcm', 'p')).toEqual({ type: 'base64', mime: 'audio/pcm', data: 'AAAA' });
    expect(() => mediaFromBase64('AAAA', undefined, 'p')).toThrow(/declare its MIME type/);
    expect(() => mediaFromBase64('not base64!', 'image/png', 'p')).toThrow(/must be base64/);
  });

  it('leaves clean text alone', () => {
    expect(cleanBase64('QUJD')).toBe('QUJD');
    expect(cleanBase64('QU JD')).toBe('QUJD');
  });

  it.each([
    ['audio/mpeg', 'mp3'],
    ['audio/x-wav', 'wav'],
    ['audio/ogg', 'opus'],
    ['audio/midi', undefined],
  ])('%s is %s', (mime, word) => {
    expect(audioFormat(mime)).toBe(word);
  });
});
