/** Pages as Markdown, for models and for those who paste them into a conversation: guides as they are written, the reference as text. */
import { linkFrom, type Targets } from './addresses.ts';
import { resolve, type ApiDocument, type Example, type Operation, type Schema } from './document.ts';
import { calledBy, samplesOf } from './samples.ts';
import { typeText } from './schema.ts';
import type { GuideSource } from './sources.ts';

const DEEPEST = 3;

/** A guide with links that lead to other pages' Markdown. */
export function guideMarkdown({ path, text }: GuideSource, targets: Targets): string {
  return text.replace(/^<!--[\s\S]*?-->\n*/gm, '').replace(/\]\(([^)\s]+)\)/g, (whole, target: string) => {
    const to = linkFrom(path, target, targets, 'md');
    return to === undefined ? whole : `](${to})`;
  });
}

export interface TagPage {
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly requests: ReadonlyMap<string, readonly Example[]>;
}

/** A page of the reference: each operation with what it takes and one sample per language. */
export function tagMarkdown(document: ApiDocument, { title, description, operations, requests }: TagPage): string {
  const sections = operations.map((operation) =>
    operationMarkdown(document, operation, requests.get(operation.id)?.[0]),
  );
  return `# ${title}\n\n${description.trim()}\n\n${sections.join('\n')}`;
}

function operationMarkdown(document: ApiDocument, operation: Operation, request: Example | undefined): string {
  const { object, method, path, parameters, webhook } = operation;
  const [type, media] = Object.entries(object.requestBody?.content ?? {})[0] ?? [];
  const [first] = Object.values(media?.examples ?? {});
  const example = first === undefined ? request : resolve(document, first);
  const given = parameters.map(
    ({ name, in: place, required, description = '' }) =>
      `- \`${name}\` (${place}${required === true ? ', required' : ''}): ${oneLine(description)}`,
  );
  const replies = Object.entries(object.responses).map(
    ([status, reply]) => `- ${status}: ${oneLine(resolve(document, reply).description ?? '')}`,
  );
  const samples = webhook ? [] : samplesOf(calledBy(operation, example, type === 'multipart/form-data'));
  return [
    `## ${object.summary}\n`,
    `\`${webhook ? 'callback_url' : `${method.toUpperCase()} ${path}`}\`\n`,
    ...(object.description === undefined ? [] : [`${object.description.trim()}\n`]),
    ...(given.length === 0 ? [] : ['### Parameters\n', ...given, '']),
    ...(media === undefined ? [] : [`### Body (${type ?? ''})\n`, ...fields(document, media.schema ?? {}, []), '']),
    ...samples.map(({ label, language, code }) => `### ${label}\n\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`),
    '### Answers\n',
    ...replies,
    '',
  ].join('\n');
}

function fields(document: ApiDocument, schema: Schema, open: readonly Schema[]): string[] {
  const resolved = resolve(document, schema);
  if (open.length >= DEEPEST || open.includes(resolved)) return [];
  const within = [...open, resolved];
  const pad = '  '.repeat(open.length);
  const rows = Object.entries(resolved.properties ?? {}).flatMap(([name, property]) => {
    const about = property.description ?? resolve(document, property).description ?? '';
    const required = resolved.required?.includes(name) === true ? ', required' : '';
    const type = typeText(property, { document, markdown: {} });
    return [
      `${pad}- \`${name}\` (${type}${required}): ${oneLine(about)}`.replace(/: $/, ''),
      ...fields(document, property, within),
    ];
  });
  const parts = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])];
  const inner = parts.length > 0 ? parts : resolved.items === undefined ? [] : [resolved.items];
  return [...new Set([...rows, ...inner.flatMap((each) => fields(document, each, open))])];
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

export interface ListedPage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** llms.txt: what there is to read, by the address of its Markdown. */
export function llmsText(groups: readonly { readonly name: string; readonly pages: readonly ListedPage[] }[]): string {
  const lists = groups.map(
    ({ name, pages }) =>
      `## ${name}\n\n${pages.map(({ path, title, description }) => `- [${title}](${path}.md): ${oneLine(description)}`).join('\n')}\n`,
  );
  return `# Unified Model Gateway\n\n> One HTTP address in front of many generative models: chat in four formats, images, speech, video tasks. Any client of OpenAI, Anthropic or Google calls it with another base URL.\n\nEverything in one file: [llms-full.txt](llms-full.txt). The OpenAPI document: [openapi.json](openapi.json).\n\n${lists.join('\n')}`;
}
