import { expect, it } from 'vitest';
import type { Content } from '@model-gateway/core';
import express from 'express';
import request from 'supertest';
import { partAskedBy, sendFile } from './range.ts';

const FILE = '0123456789';

const app = express();
app.get('/file', async (asking, response) => {
  const part = partAskedBy(asking);
  const bytes = part?.of(FILE.length);
  const text = bytes === undefined ? FILE : FILE.slice(bytes.first, bytes.last + 1);
  const isOutside = part !== undefined && bytes === undefined;
  const content: Content = {
    mime: 'video/mp4',
    size: FILE.length,
    seekable: true,
    ...(isOutside ? { part: 'outside' as const } : bytes !== undefined && { part: bytes }),
    body: pieces(isOutside ? '' : text),
  };
  await sendFile(response, content);
});

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (const each of text) yield Buffer.from(each);
}

it.each([
  { range: 'bytes=0-3', status: 206, text: '0123', place: 'bytes 0-3/10' },
  { range: 'bytes=7-', status: 206, text: '789', place: 'bytes 7-9/10' },
  { range: 'bytes=-2', status: 206, text: '89', place: 'bytes 8-9/10' },
  { range: 'bytes=-20', status: 206, text: FILE, place: 'bytes 0-9/10' },
  { range: 'bytes=5-500', status: 206, text: '56789', place: 'bytes 5-9/10' },
  { range: 'bytes=9-9', status: 206, text: '9', place: 'bytes 9-9/10' },
  { range: 'bytes=10-', status: 416, text: '', place: 'bytes */10' },
  { range: 'bytes=99-120', status: 416, text: '', place: 'bytes */10' },
  { range: 'bytes=0-1,4-5', status: 200, text: FILE, place: undefined },
  { range: 'lines=1-2', status: 200, text: FILE, place: undefined },
  { range: 'bytes=5-2', status: 200, text: FILE, place: undefined },
  { range: 'bytes=a-b', status: 200, text: FILE, place: undefined },
  { range: '', status: 200, text: FILE, place: undefined },
])('$range is a $status', async ({ range, status, text, place }) => {
  const reply = await request(app).get('/file').set('range', range).buffer(true);
  expect(reply.status).toBe(status);
  expect(String(reply.body instanceof Uint8Array ? Buffer.from(reply.body) : '')).toBe(text);
  expect(reply.headers['content-range']).toBe(place);
  expect(reply.headers['content-length']).toBe(String(text.length));
  expect(reply.headers['accept-ranges']).toBe('bytes');
  expect(reply.headers['content-type']).toBe('video/mp4');
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
});
