/** The page of what becomes of every method of the official SDKs. */
import { readFileSync } from 'node:fs';
import { ANTHROPIC } from './anthropic.ts';
import { GOOGLE } from './google.ts';
import { OPENAI } from './openai.ts';
import { methodsOf, rowOf, type Sdk } from './sdk-methods.ts';

export const SDKS: readonly Sdk[] = [
  { name: 'openai', rows: OPENAI },
  { name: '@anthropic-ai/sdk', rows: ANTHROPIC },
  { name: '@google/genai', rows: GOOGLE },
];

const HEAD = `# Methods of the SDKs

What becomes of every public method of the official SDKs for JavaScript, as the packages have them. The SDKs for other languages have the same methods under names of their own.

| Word       | Meaning                                                                                     |
| ---------- | ------------------------------------------------------------------------------------------- |
| works      | The gateway answers it itself, whatever vendors there are.                                  |
| translated | It reaches models of any vendor; the gateway speaks the vendor’s own format for you.        |
| vendor     | It goes straight to its own vendor, where there is an account of that vendor.               |
| not here   | The gateway refuses it, or the SDK does by itself; beside it stands why. |

A test calls every method of the first three through its SDK. The page is made of the same list (\`node tools/sdk-methods.mjs\`).
`;
const WORDS = { works: 'works', translated: 'translated', vendor: 'vendor', absent: 'not here' } as const;

/** Markdown of the page. */
export function methodsPage(sdks: readonly Sdk[]): string {
  return [HEAD, ...sdks.map(sdkSection)].join('\n');
}

function sdkSection({ name, rows }: Sdk): string {
  const groups = [...Map.groupBy(methodsOf(name), (method) => rowOf(rows, method) ?? method)];
  const single = groups.filter(([row]) => !row.endsWith('*'));
  const lines = single.map(([row]) => `| \`${row}\` | ${WORDS[rows[row]!.state]} | ${rows[row]!.note ?? ''} |`);
  const families = groups
    .filter(([row]) => row.endsWith('*'))
    .map(
      ([row, methods]) =>
        `- **\`${row}\`**: ${rows[row]!.note ?? ''} ${methods.map((method) => `\`${method}\``).join(', ')}`,
    );
  return `## ${name} ${versionOf(name)}

| Method | Here | Note |
| --- | --- | --- |
${lines.join('\n')}

Not here, whole families:

${families.join('\n')}
`;
}

function versionOf(name: string): string {
  const root = new URL('../../../../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(root, 'utf8')) as { devDependencies: Record<string, string> };
  return devDependencies[name] ?? '';
}
