/** What is found in texts, and what is not. */
import { describe, expect, it } from 'vitest';
import { DETECTORS, type DetectorName, type Guardrail } from './guardrail.ts';
import { patternFault } from './pattern-fault.ts';
import { masked, scannerOf } from './scanner.ts';

const rail = (more: Partial<Guardrail>): Guardrail => ({
  name: 'test',
  mode: 'mask',
  stages: ['request', 'answer'],
  models: [],
  keys: [],
  groups: [],
  detect: [],
  patterns: [],
  words: [],
  ...more,
});
const through = (text: string, more: Partial<Guardrail>): string => masked(text, scannerOf([rail(more)]).find(text));

const PEM = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${'MIIE'.repeat(300)}\n-----END RSA PRIVATE KEY-----`;

describe('built-in sets', () => {
  it.each<[DetectorName, string, string]>([
    ['api_key', `key sk-proj-${'aB3_'.repeat(10)} ok`, 'key [api_key] ok'],
    ['api_key', 'AKIAIOSFODNN7EXAMPLE.', '[api_key].'],
    ['api_key', `ghp_${'a1'.repeat(18)}`, '[api_key]'],
    ['private_key', `x ${PEM} y`, 'x [private_key] y'],
    ['private_key', PEM.slice(0, 200), '[private_key]'],
    ['email', 'to ann.lee+x@mail.example.co.uk, or', 'to [email], or'],
    ['email', '<ann@example.com>', '<[email]>'],
    ['phone', 'call +49 (30) 1234-5678 now', 'call [phone] now'],
    ['phone', '555-123-4567', '[phone]'],
    ['credit_card', 'card 4111 1111 1111 1111 12/27', 'card [credit_card] 12/27'],
    ['credit_card', '4111111111111111', '[credit_card]'],
    ['credit_card', '1 5500-0000-0000-0004', '1 [credit_card]'],
    ['iban', 'DE89 3704 0044 0532 0130 00 AND more', '[iban] AND more'],
    ['iban', 'GB82WEST12345698765432', '[iban]'],
  ])('%s: %s', (name, text, expected) => {
    expect(through(text, { detect: [name] })).toBe(expected);
  });

  it.each<[DetectorName, string]>([
    ['api_key', 'the sk-learn package, task-force-one-two-three-four-five'],
    ['private_key', '-----BEGIN CERTIFICATE-----'],
    ['email', 'a@b, @someone, 3@4.5'],
    ['phone', 'in 2026, 3.14159265358979, version 10.20.30.40, 12345678'],
    ['credit_card', '4111 1111 1111 1112, 1234567890123456, 0000 0000 0000 0000'],
    ['iban', 'DE89 3704 0044 0532 0130 01, ABCD EFGH IJKL MNOP'],
  ])('%s leaves alone: %s', (name, text) => {
    expect(through(text, { detect: [name] })).toBe(text);
  });

  it('hostile texts take no time', () => {
    const scanner = scannerOf([rail({ detect: DETECTORS })]);
    const began = process.cpuUsage().user;
    for (const piece of [
      'a',
      'a@',
      '1 ',
      '+1 1',
      '+12345678901234567890 ',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'DE89 ',
      '4111 1111 1111 1111 ',
      '-',
    ])
      scanner.find(piece.repeat(Math.ceil(50_000 / piece.length)));
    // Microseconds of this process, for half a million characters.
    expect(process.cpuUsage().user - began).toBeLessThan(5_000_000);
  });
});

describe('words and patterns', () => {
  it('words are whole, in any case and script', () => {
    const words = ['falcon', 'project blue', 'Überraschung', 'a+b', '秘密'];
    expect(through('FALCON falcons Project Blue, überraschung a+b!', { words })).toBe(
      '[word] falcons [word], [word] [word]!',
    );
    expect(through('秘密 秘密の', { words })).toBe('[word] 秘密の');
  });

  it('a pattern is found across the windows of a long text', () => {
    const patterns = [{ name: 'ticket', pattern: 'INC-\\d{6}' }];
    for (const at of [0, 1530, 2040, 2047, 4090]) {
      const text = `${' '.repeat(at)}INC-123456${' '.repeat(5000)}`;
      expect(through(text, { patterns }).trim()).toBe('[ticket]');
    }
  });

  it('what overlaps is one match of the strictest', () => {
    const guardrails = [rail({ detect: ['email'] }), rail({ name: 'no', mode: 'refuse', words: ['example.com'] })];
    expect(scannerOf(guardrails).find('x ann@example.com')).toEqual([
      { start: 2, end: 17, label: 'word', guardrail: 'no', mode: 'refuse' },
    ]);
  });

  it('digits in JSON stay a number', () => {
    const matches = scannerOf([rail({ detect: ['credit_card'] })]).find('{"n":4111111111111111}');
    expect(JSON.parse(masked('{"n":4111111111111111}', matches, true))).toEqual({ n: 0 });
  });
});

describe('patterns that are refused', () => {
  it.each([
    '(a*)*',
    '(a)\\1',
    '(?=a)b',
    '(?<!a)b',
    '[',
    'a*',
    'x'.repeat(1001),
    '((a{1,9}){1,9}){1,9}',
    'x{1,1001}',
    'a*+b',
  ])('%s', (pattern) => {
    expect(patternFault(pattern)).toBeDefined();
  });

  it.each([
    'INC-\\d{6}',
    'acme-[a-z0-9]+',
    '\\bP[A-Z]{2}-(?:north|south)\\b',
    '(?:AB|CD)\\d{4,12}',
    'é{2}',
    '(?<id>x)\\d',
    '\\p{Lu}{3}',
    '\\p{Script=Greek}{3}',
    '\\u0041\\u{1F600}',
    '\\(=?\\)',
    'a+b+c',
    '\\d{1,100}\\d{1,100}x',
  ])('not %s', (pattern) => {
    expect(patternFault(pattern)).toBeUndefined();
  });

  it.each([
    ['(?=a)b', /ahead or behind.*write what is to be found itself/],
    ['(?<!a)b', /ahead or behind/],
    ['(a)\\1', /refers back.*write out what is repeated/],
    ['(?<x>a)\\k<x>', /refers back/],
    ['x{1,1001}', /repeats more than 1000 times.*smaller repetitions/],
    ['x{1,800}', /steps.*smaller repetitions/],
    ['a**', /no regular expression/],
  ])('%s is told what would be right', (pattern, words) => {
    expect(patternFault(pattern)).toMatch(words);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(?:a|b|ab)*c', '[ab]+[ab]?c', '(x+x+)+y', '(.*)(.*)z', '(?:a[ab]{0,40}c)|a'])(
    '%s has no text that takes long',
    (pattern) => {
      expect(patternFault(pattern)).toBeUndefined();
      const scanner = scannerOf([rail({ patterns: [{ name: 'x', pattern }] })]);
      const began = process.cpuUsage().user;
      for (const piece of ['a', 'ab', 'x', 'ab ']) scanner.find(piece.repeat(20_000 / piece.length));
      expect(process.cpuUsage().user - began).toBeLessThan(5_000_000);
    },
  );

  it('a hostile text is looked through in short steps', () => {
    const scanner = scannerOf([rail({ detect: DETECTORS, words: ['falcon'] })]);
    let steps = 0;
    const work = scanner.steps('1 '.repeat(200_000));
    while (work.next().done !== true) steps++;
    expect(steps).toBeGreaterThan(100);
  });
});

describe('texts that are written in other ways than they read', () => {
  it.each<[string, string, Partial<Guardrail>]>([
    ['card 4111\u00a01111\u00a01111\u00a01111', 'card [credit_card]', { detect: ['credit_card'] }],
    ['card ４１１１ 1111 1111 1111.', 'card [credit_card].', { detect: ['credit_card'] }],
    ['4111\u200b1111\u200b1111\u200b1111', '[credit_card]', { detect: ['credit_card'] }],
    ['4111 1111 1111\n1111 ok', '[credit_card] ok', { detect: ['credit_card'] }],
    ['DE89 3704 0044\r\n0532 0130 00.', '[iban].', { detect: ['iban'] }],
    ['ann@exam\u00adple.com', '[email]', { detect: ['email'] }],
    ['\\u0061nn\\u0040example.com', '[email]', { detect: ['email'] }],
    ['about Project\n  Blue and project\u00a0blue', 'about [word] and [word]', { words: ['Project Blue'] }],
    ['U\u0308berraschung', '[word]', { words: ['Überraschung'] }],
    ['Überraschung', '[word]', { words: ['U\u0308berraschung'] }],
    ['INC\n123456', '[ticket]', { patterns: [{ name: 'ticket', pattern: 'INC \\d{6}' }] }],
    ['a\n\nb', '[gap]', { patterns: [{ name: 'gap', pattern: 'a\\n\\nb' }] }],
  ])('%j', (text, expected, more) => {
    expect(through(text, more)).toBe(expected);
  });

  it.each([
    ['a column of numbers', Array.from({ length: 60 }, (_, at) => at % 10).join('\n')],
    ['years', '4000\n4111\n1111\n1111\n1111\n4242'],
  ])('%s is no card', (_, text) => {
    expect(through(text, { detect: ['credit_card'] })).toBe(text);
  });

  it('escapes of JSON are read in JSON alone', () => {
    const scanner = scannerOf([rail({ words: ['Project Blue', 'new'] })]);
    const json = JSON.stringify({ a: 'Project\nBlue' });
    expect(masked(json, scanner.find(json, { isJson: true }), true)).toBe('{"a":"[word]"}');
    expect(masked('C:\\new', scanner.find('C:\\new'))).toBe('C:\\[word]');
  });

  it('every match of a long text is found where it is, wherever the text is cut', () => {
    const scanner = scannerOf([rail({ detect: DETECTORS, words: ['Project Blue'] })]);
    for (const filler of ['x ', 'é ', '1 ', '\u00a0']) {
      for (let at = 20_400; at < 20_500; at += 7) {
        const before = filler.repeat(Math.ceil(at / filler.length)).slice(0, at);
        const text = `${before} ;ann@example.com ;Project Blue; ${filler.repeat(2000)}`;
        const found = scanner.find(text).map(({ start, end }) => text.slice(start, end));
        expect(found).toEqual(['ann@example.com', 'Project Blue']);
      }
    }
  });
});
