// What is known of installed packages: their folders, what they need, their licences.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const readPackage = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The folders of these packages and of all that they need, platform packages included where they are installed. Throws for one that is missing
 * and not optional.
 */
export function closureOf(names, root) {
  const folders = new Map();
  const visit = (name, isOptional) => {
    if (folders.has(name)) return;
    const folder = join(root, 'node_modules', name);
    if (!existsSync(folder)) {
      if (isOptional) return;
      throw new Error(`${name} is not installed: run npm ci`);
    }
    folders.set(name, folder);
    const { dependencies = {}, optionalDependencies = {} } = readPackage(folder);
    for (const needed of Object.keys(dependencies)) visit(needed, needed in optionalDependencies);
    for (const needed of Object.keys(optionalDependencies)) visit(needed, true);
  };
  for (const name of names) visit(name, false);
  return folders;
}

/** The licences of these packages, one text. */
export function licencesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license = 'unknown' } = readPackage(folder);
      const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** What is in it, in CycloneDX's words, for scanners of known weaknesses. */
export function billOfMaterials({ name, version }, folders) {
  const component = (folder) => {
    const about = readPackage(folder);
    const purl = `pkg:npm/${about.name.replace('@', '%40')}@${about.version}`;
    const licenses = typeof about.license === 'string' ? { licenses: [licenceOf(about.license)] } : {};
    return { type: 'library', 'bom-ref': purl, name: about.name, version: about.version, purl, ...licenses };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'gateway', name, version } },
    components: folders.map(component),
  };
}

/** A name of the SPDX list, or several of them in an expression. */
function licenceOf(text) {
  return /\s/.test(text) ? { expression: text } : { license: { id: text } };
}
