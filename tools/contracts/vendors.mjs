// What each vendor can do, read from the names of its files: a capability of an adapter is a file of that name which exports it, what the
// twin answers beside its oldest endpoints is a file that exports `routes`. So another kind of model touches no list of any vendor.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const BANNER = '// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs\n';
const FACTS_BANNER =
  '// Written by tools/contracts.mjs from the adapters of the vendors. Then run: node tools/contracts.mjs\n';
const VENDORS = 'apps/gateway/src/adapters.ts';
const CONTRACT = 'libs/provider-kit/src/provider-adapter.ts';

/** Texts by path: `generated/capabilities.ts` of each adapter, `generated/routes.ts` of each vendor of the twin that needs one. */
export async function vendorTexts(root) {
  const names = await capabilityNames(root);
  const adapters = (await foldersIn(join(root, 'libs/providers'))).map((vendor) => join(vendor, 'src'));
  const nested = (await Promise.all(adapters.map(foldersIn))).flat();
  const texts = {};
  for (const folder of [...adapters, ...nested]) {
    const parts = (await exportsIn(folder)).filter(({ name, exported }) => names.has(name) && exported.has(name));
    if (parts.length > 0) texts[join(folder, 'generated/capabilities.ts')] = capabilitiesText(parts);
  }
  for (const folder of await foldersIn(join(root, 'libs/vendor-twin/src'))) {
    const parts = (await exportsIn(folder)).filter(({ exported }) => exported.has('routes'));
    if (parts.length > 0) texts[join(folder, 'generated/routes.ts')] = routesText(parts);
  }
  return texts;
}

/** The members of `Capabilities`, which is where the compiler holds what is written here against. */
async function capabilityNames(root) {
  const text = await readFile(join(root, CONTRACT), 'utf8');
  const [, members] = /export interface Capabilities \{(.*?)\n\}/s.exec(text) ?? [];
  if (members === undefined) throw new Error(`${relative(root, join(root, CONTRACT))} has no interface Capabilities`);
  return new Set([...members.matchAll(/readonly (\w+)\?/g)].map(([, name]) => name));
}

async function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'generated')
    .map(({ name }) => join(folder, name))
    .toSorted();
}

async function exportsIn(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const exported = new Set([...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name));
      return { file, name: basename(file, '.ts'), exported };
    }),
  );
}

function capabilitiesText(parts) {
  const withQuirks = parts.filter(({ exported }) => exported.has('quirks'));
  const imports = parts.map(({ file, name, exported }) =>
    exported.has('quirks')
      ? `import { ${name}, quirks as ${name}Quirks } from '../${file}';`
      : `import { ${name} } from '../${file}';`,
  );
  return `${BANNER}import type { Capabilities, VendorDeclaration } from '@model-gateway/provider-kit';
${imports.join('\n')}

/** What the adapter can do: each a file of this folder. */
export const CAPABILITIES = { ${parts.map(({ name }) => name).join(', ')} } satisfies Capabilities;

/** What offers may say of it, as those files do. */
export const QUIRKS = { ${withQuirks.map(({ name }) => `${name}: ${name}Quirks`).join(', ')} } satisfies NonNullable<VendorDeclaration['quirks']>;
`;
}

function routesText(parts) {
  const imports = parts.map(({ file, name }) => `import { routes as ${identifier(name)} } from '../${file}';`);
  return `${BANNER}import type { Route } from '../../core/vendor.ts';
${imports.join('\n')}

/** What the vendor answers by those files of its folder that export \`routes\`. */
export const ROUTES: readonly Route[] = [${parts.map(({ name }) => `...${identifier(name)}`).join(', ')}];
`;
}

/** What a configuration is checked by without loading any adapter, of all of them. */
export async function vendorFactsText(root) {
  const { vendors } = await import(pathToFileURL(join(root, VENDORS)));
  const names = await capabilityNames(root);
  const facts = {};
  for (const vendor of vendors.values()) {
    const adapter = await vendor.load();
    facts[vendor.id] = {
      capabilities: [...names].filter((name) => adapter[name] !== undefined),
      dialects: adapter.chat?.dialects ?? [],
      listsModels: adapter.modelList !== undefined,
      signsBodies: adapter.signsBodies === true,
      quirks: adapter.declares.quirks ?? {},
    };
  }
  return `${FACTS_BANNER}import type { VendorFacts } from '@model-gateway/provider-kit';

/** By the \`vendor\` word of an account. */
export const VENDOR_FACTS: Readonly<Record<string, VendorFacts>> = ${JSON.stringify(facts)};
`;
}

function identifier(name) {
  return name.replaceAll(/-(\w)/g, (_match, letter) => letter.toUpperCase());
}
