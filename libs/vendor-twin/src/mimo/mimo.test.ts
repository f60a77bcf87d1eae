import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask, asker, eventsOf, type Heard } from '../test-kit.ts';

let twin: VendorTwin;
const call = asker(() => twin, 'mimo');
const TTS = 'mimo-v2.5-tts';

beforeAll(async () => {
  twin = await startVendorTwin();
});
afterAll(async () => twin.close());

const say = async (content: string, more: object = {}): Promise<Heard> =>
  call('/chat/completions', {
    body: { model: TTS, messages: [{ role: 'assistant', content }], audio: { format: 'wav', voice: 'Mia' }, ...more },
  });
const soundOf = (reply: Heard): Buffer => Buffer.from(reply.json.choices[0].message.audio.data as string, 'base64');

describe('mimo speech', () => {
  it('speaks the assistant’s text as WAV of 24 kHz', async () => {
    const reply = await say('Good evening, everybody.');
    expect(reply.json).toMatchObject({
      object: 'chat.completion',
      choices: [
        { finish_reason: 'stop', message: { role: 'assistant', audio: { expires_at: null, transcript: null } } },
      ],
    });
    const sound = soundOf(reply);
    expect([sound.subarray(0, 4).toString(), sound.readUInt32LE(24), sound.readUInt16LE(22)]).toEqual([
      'RIFF',
      24_000,
      1,
    ]);
    expect(sound.length).toBe(sound.readUInt32LE(4) + 8);
    expect(twin.ledger.answers('mimo').at(-1)).toMatchObject({ kind: 'speech', billed: { characters: 24 } });
  });

  it('sounds different in another voice, and longer when sung; tags are not spoken', async () => {
    const plain = soundOf(await say('la la la la'));
    const other = soundOf(await say('la la la la', { audio: { format: 'wav', voice: '冰糖' } }));
    expect(other.length).toBe(plain.length);
    expect(other.equals(plain)).toBe(false);
    expect(soundOf(await say('(唱歌)la la la la')).length).toBe((plain.length - 44) * 2 + 44);
    expect(soundOf(await say('la la [轻笑]la la')).length).toBe(plain.length);
  });

  it('streams raw samples, pieces ending where they like', async () => {
    const whole = soundOf(await say('Good evening, everybody.', { audio: { format: 'pcm16', voice: 'Mia' } }));
    const reply = await say('Good evening, everybody.', { audio: { format: 'pcm16', voice: 'Mia' }, stream: true });
    const pieces = eventsOf(reply.text).map(({ data }) => {
      const chunk = data as { choices: { delta: { audio?: { data: string } } }[] } | undefined;
      return Buffer.from(chunk?.choices[0]?.delta.audio?.data ?? '', 'base64');
    });
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    expect(pieces.some((piece) => piece.length % 2 === 1)).toBe(true);
    expect(reply.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('designs and clones voices', async () => {
    const messages = [
      { role: 'user', content: 'an old sailor' },
      { role: 'assistant', content: 'Ahoy' },
    ];
    expect(
      (await call('/chat/completions', { body: { model: `${TTS}-voicedesign`, messages, audio: { format: 'wav' } } }))
        .status,
    ).toBe(200);
    const voice = 'data:audio/wav;base64,UklGRg==';
    expect(
      (
        await call('/chat/completions', {
          body: { model: `${TTS}-voiceclone`, messages, audio: { format: 'mp3', voice } },
        })
      ).status,
    ).toBe(200);
  });

  it.each<[string, object, string]>([
    ['an unknown voice', { audio: { format: 'wav', voice: 'Bob' } }, '冰糖'],
    ['another format', { audio: { format: 'ogg' } }, 'audio.format'],
    ['a stream of WAV', { stream: true }, 'pcm16'],
    ['no assistant', { messages: [{ role: 'user', content: 'a' }] }, 'assistant'],
    ['an empty text', { messages: [{ role: 'assistant', content: '' }] }, 'messages[0].content'],
    ['no audio', { audio: undefined }, 'audio'],
    ['a design without words', { model: `${TTS}-voicedesign`, audio: { format: 'wav' } }, 'describes the voice'],
  ])('refuses %s', async (_, more, message) => {
    const reply = await say('a', more);
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toContain(message);
  });

  it('chats under the same path, and takes its key in either header', async () => {
    const body = { model: 'mimo-v2.5-pro', messages: [{ role: 'user', content: 'hi' }] };
    const headers = { 'api-key': TWIN_CREDENTIALS.mimo['api_key']! };
    const reply = await ask(`${twin.baseUrl('mimo')}/chat/completions`, { body, headers });
    expect(reply.json.choices[0].message.content).toBe('You said: hi');
    expect(await ask(`${twin.baseUrl('mimo')}/chat/completions`, { body })).toMatchObject({ status: 401 });
  });
});
