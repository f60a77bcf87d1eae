import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filmBody, SCHEMAS, type FilmShape } from './film-body.ts';
import { fieldsOf, takenBy, withFields } from './schema-fields.ts';

const api = JSON.parse(
  readFileSync(new URL('../../../../libs/contracts/src/generated/openapi.json', import.meta.url), 'utf8'),
) as NonNullable<Parameters<typeof fieldsOf>[0]>;
const shapes = Object.keys(SCHEMAS) as readonly FilmShape[];

describe('fields of the document', () => {
  it.each(shapes)('%s has a schema with fields of its own, none of them the model', (shape) => {
    const names = fieldsOf(api, SCHEMAS[shape], ['model', 'prompt']).map(({ path }) => path.join('.'));
    expect(names).toContain('callback_url');
    expect(names.length).toBeGreaterThan(2);
    expect(names).not.toContain('model');
  });

  it('knows types, words, and what lies inside an object', () => {
    const fields = fieldsOf(api, 'VideoInputBody', ['model']);
    const by = (name: string) => fields.find(({ path }) => path.join('.') === name);
    expect(by('parameters.duration')).toMatchObject({ type: 'whole' });
    expect(by('parameters.watermark')).toMatchObject({ type: 'boolean' });
    expect(by('parameters.ratio')?.words).toEqual(expect.arrayContaining(['16:9', '9:16']));
  });

  it('puts values where they belong, zero and false too, and leaves the rest alone', () => {
    const fields = fieldsOf(api, 'VideoInputBody', ['model']);
    const body = filmBody('input', 'wan', 'a cat', []);
    const values = { 'parameters.seed': 0, 'parameters.watermark': false, 'parameters.ratio': '', unknown: 'x' };
    expect(withFields(body, fields, values)).toEqual({
      model: 'wan',
      input: { prompt: 'a cat' },
      parameters: { seed: 0, watermark: false },
    });
    expect(body).not.toHaveProperty('parameters');
  });
});

describe('the fields that a model takes', () => {
  const namesFor = (id: string, shape: FilmShape, limits: Readonly<Record<string, unknown>>): readonly string[] =>
    takenBy({ id, limits }, fieldsOf(api, SCHEMAS[shape], [])).map(({ path }) => path.at(-1) ?? '');
  const fieldFor = (name: string, shape: FilmShape, limits: Readonly<Record<string, unknown>>) =>
    takenBy({ id: 'a-model', limits }, fieldsOf(api, SCHEMAS[shape], [])).find(({ path }) => path.at(-1) === name);

  it('leaves out what the document has for other models', () => {
    expect(namesFor('doubao-seedance-2-0', 'content', {})).not.toContain('draft');
    expect(namesFor('doubao-seedance-1-5-pro', 'content', {})).toContain('draft');
  });

  it('leaves out what a model that states its choices has no choice of', () => {
    const frame = { durations: { min: 3, max: 15 }, resolutions: ['720P'] };
    expect(namesFor('happyhorse-1.0-i2v', 'input', frame)).not.toContain('ratio');
    expect(namesFor('of-an-operator', 'input', {})).toEqual(expect.arrayContaining(['ratio', 'duration']));
  });

  it('has the values of the model, not those of its family', () => {
    expect(fieldFor('resolution', 'content', { resolutions: ['480p'] })).toMatchObject({
      words: ['480p'],
      isFixed: true,
    });
    expect(fieldFor('seconds', 'seconds', { durations: { values: [4, 8] } })).toMatchObject({
      words: ['4', '8'],
      isFixed: true,
    });
    expect(fieldFor('duration', 'content', { durations: { min: 4, max: 15 } })).toMatchObject({ least: 4, most: 15 });
  });

  it('takes words as fixed only where the document names all of them', () => {
    const images = fieldsOf(api, 'ImagePromptBody', []);
    const by = (name: string) => images.find(({ path }) => path.join('.') === name);
    expect(by('quality')).toMatchObject({ isFixed: true });
    expect(by('size')).toMatchObject({ isFixed: false });
    expect(fieldFor('callback_url', 'content', {})).toMatchObject({ isFixed: false });
  });

  it('sends numbers that were chosen from a list as numbers', () => {
    const fields = takenBy(
      { id: 'MiniMax-Hailuo-2.3', limits: { durations: { values: [6, 10] } } },
      fieldsOf(api, 'VideoPromptBody', []),
    );
    expect(withFields({}, fields, { duration: '6' })).toEqual({ duration: 6 });
  });
});

describe('the body of a film', () => {
  it.each(shapes)('%s carries the prompt and a first frame', (shape) => {
    const frame = { name: 'a.png', type: 'image/png', url: 'data:image/png;base64,QUFB' };
    const text = JSON.stringify(filmBody(shape, 'm', 'a cat', [frame]));
    expect(text).toContain('a cat');
    expect(text).toContain('QUFB');
    expect(JSON.stringify(filmBody(shape, 'm', 'a cat', []))).not.toMatch(/image|media|file_infos/i);
  });
});
