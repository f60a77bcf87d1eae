/** Every program and command that the portal prints: those of the guides, and the reference's for each example and language. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsOf, type ApiDocument } from './portal/document.ts';
import { examplesOf } from './portal/reference.ts';
import { calledBy, samplesOf } from './portal/samples.ts';
import { readRequests } from './portal/sources.ts';

export interface Piece {
  /** Of the operation it is a sample of. */
  readonly id?: string;
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

/** In the samples of operators; each sample gets its own. */
export const PLACES = {
  key_id: '900000001',
  owner_id: '900000002',
  request_id: 'the-request-id',
  change_id: '900000003',
  job_id: '900000004',
};

/** Whole programs and commands of the guides; what only shows a part, JSON and YAML are read alone. */
export function guideSamples(root: string): readonly Piece[] {
  const files = [
    'README.md',
    'docs/index.md',
    ...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`),
  ];
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/^```(js|ts|sh|python)(?: tab="([^"]*)")?\n([\s\S]+?)^```$/gm)]
      .map(([, language = '', tab = '', code = ''], index) => ({
        name: `${file} ${index} ${tab}`.trim(),
        language,
        code,
      }))
      .filter(({ language, code }) => (language === 'sh' ? /^(curl|TASK=)/.test(code) : /import |fetch\(/.test(code)));
  });
}

/** The reference's samples, as the pages print them but for the places of ids. */
export function referenceSamples(document: ApiDocument, root: string): readonly Piece[] {
  const requests = readRequests(root);
  return operationsOf(document)
    .filter(({ webhook }) => !webhook)
    .flatMap((operation) =>
      examplesOf(operation, { document, requests }).flatMap(({ name, example, form }) => {
        const called = calledBy(operation, example, form);
        const path = Object.fromEntries(
          Object.entries(called.path).map(([each, value]) => [each, (PLACES as Record<string, string>)[each] ?? value]),
        );
        return samplesOf({ ...called, path }).map(({ label, language, code }) => ({
          id: operation.id,
          name: `${operation.id} ${name} ${label}`,
          language,
          code,
        }));
      }),
    );
}
