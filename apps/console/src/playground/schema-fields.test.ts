import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filmBody, SCHEMAS, type FilmShape } from './film-body.ts';
import { fieldsOf, withFields } from './schema-fields.ts';

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

describe('the body of a film', () => {
  it.each(shapes)('%s carries the prompt and a first frame', (shape) => {
    const frame = { name: 'a.png', type: 'image/png', url: 'data:image/png;base64,QUFB' };
    const text = JSON.stringify(filmBody(shape, 'm', 'a cat', [frame]));
    expect(text).toContain('a cat');
    expect(text).toContain('QUFB');
    expect(JSON.stringify(filmBody(shape, 'm', 'a cat', []))).not.toMatch(/image|media|file_infos/i);
  });
});
