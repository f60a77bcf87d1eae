/** Secrets in rows that the database keeps: as references to the environment, or sealed; never plain, and never shown again. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Sealing } from '@model-gateway/core';
import { entryId, type DatabaseRow } from './database-source.ts';
import { pathText, type ConfigFault, type Path } from './fault.ts';
import { HIDDEN, SECRET_MEMBERS, withoutSecrets } from './secrets.ts';

type Named = Pick<DatabaseRow, 'section' | 'name'>;

/** A row as it was sent, prepared to be kept. */
export interface PreparedValue {
  /** What the database gets. */
  readonly kept: JsonObject;
  /** The same with its secrets, for the checks. */
  readonly plain: JsonObject;
  /** Their paths begin within the row. */
  readonly faults: readonly ConfigFault[];
}

export interface EntrySecrets {
  /** Seals what is secret; `***` stands for what `before` has in that place. */
  prepare(entry: Named, sent: JsonObject, before: JsonObject | undefined): PreparedValue;
  /** Throws GatewayError `unavailable` for what was sealed with a key that is not there any more. */
  open(entry: Named, kept: JsonObject): JsonObject;
  /** For people: references as they are written, `***` for what is sealed. */
  show(kept: JsonObject): JsonObject;
}

/** `${NAME}` alone, or behind a scheme: `Bearer ${NAME}`. A default behind it would be a secret that is written out. */
const REFERENCE = /^(?:[A-Za-z]{1,20} )?\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** What only the gateway's own process is meant to know. */
const OWN_VARIABLE = /^(?:GATEWAY_\w*|OTEL_\w*|PG\w*|DATABASE_URL|REDIS_URL)$/;
const SEALED = '$sealed';
const NO_VARIABLES: ReadonlySet<string> = new Set();

/** Makes what keeps secrets; without `sealing` they are references only. */
export function createEntrySecrets(sealing: Sealing | undefined): EntrySecrets {
  const placeOf = (entry: Named, path: Path): string => `config ${entryId(entry)} ${pathText(path)}`;
  const open = (entry: Named, kept: JsonObject): JsonObject =>
    withEachSecret(kept, (node, path) => {
      const sealed = sealedIn(node);
      if (sealed === undefined) return node;
      if (sealing === undefined)
        throw new GatewayError(
          'unavailable',
          'one of its secrets is encrypted, and security.encryption_key is not set',
        );
      return sealing.open(Buffer.from(sealed, 'base64'), placeOf(entry, path));
    });
  return {
    open,
    show: (kept) => withEachSecret(kept, (node) => (typeof node === 'string' && REFERENCE.test(node) ? node : HIDDEN)),
    prepare(entry, sent, before) {
      const faults: ConfigFault[] = [...plainFaults(sent)];
      const notTexts: Path[] = [];
      const plain = (node: Json, path: Path): Json => {
        if (node !== HIDDEN) return node;
        const was = before === undefined ? undefined : nodeAt(before, path);
        if (was !== undefined) return was;
        faults.push({
          path,
          message: `${HIDDEN} keeps what the database has here, and it has nothing: leave the member out to keep that of the file, or write \${NAME}`,
        });
        return node;
      };
      const merged = withEachSecret(sent, plain, (path) => {
        notTexts.push(path);
      });
      const kept = withEachSecret(merged, (node, path) => {
        // What came from `before` is sealed already.
        if (typeof node !== 'string' || node === HIDDEN) return node;
        const [, variable] = REFERENCE.exec(node) ?? [];
        if (variable !== undefined) {
          if (OWN_VARIABLE.test(variable))
            faults.push({ path, message: `\${${variable}} is the gateway's own and not for accounts` });
          return node;
        }
        if (sealing !== undefined)
          return { [SEALED]: Buffer.from(sealing.seal(node, placeOf(entry, path))).toString('base64') };
        faults.push({
          path,
          message:
            'a secret is not kept in plain: write ${NAME} for a variable of the environment, or set security.encryption_key',
        });
        return node;
      });
      faults.push(...notTexts.map((path) => ({ path, message: 'expected a text' })));
      // What looks sealed and was sent is never opened.
      if (notTexts.length > 0) return { kept, plain: sent, faults };
      try {
        return { kept, plain: open(entry, kept), faults };
      } catch (error) {
        // What `***` stands for was sealed with a key that is gone.
        return { kept, plain: sent, faults: [...faults, { path: [], message: (error as Error).message }] };
      }
    },
  };
}

function sealedIn(node: Json): string | undefined {
  const sealed = isJsonObject(node) ? node[SEALED] : undefined;
  return typeof sealed === 'string' ? sealed : undefined;
}

/** Applies `change` to every secret: what is below a member of a secret's name. `other` is told of those that are neither a text nor sealed. */
function withEachSecret(
  value: JsonObject,
  change: (node: Json, path: Path) => Json,
  other?: (path: Path) => void,
): JsonObject {
  const walk = (node: Json, path: Path, secret: boolean): Json => {
    if (secret && (typeof node === 'string' || (other === undefined && sealedIn(node) !== undefined)))
      return change(node, path);
    if (Array.isArray(node)) return node.map((each, index) => walk(each, [...path, index], secret));
    if (isJsonObject(node)) {
      if (secret && Object.hasOwn(node, SEALED)) other?.(path);
      return objectOf(node, (name, each) => walk(each, [...path, name], secret || SECRET_MEMBERS.has(name)));
    }
    if (secret) other?.(path);
    return node;
  };
  return walk(value, [], false) as JsonObject;
}

/** Outside of secrets nothing may look like one, and nothing is read from the environment: it would be shown. */
function plainFaults(sent: JsonObject): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const walk = (node: Json, path: Path): void => {
    if (typeof node === 'string') {
      if (node.includes('${'))
        faults.push({ path, message: 'only credentials and headers are read from the environment here' });
      else if (withoutSecrets({ node }, NO_VARIABLES)['node'] !== node)
        faults.push({ path, message: 'this looks like a secret; those belong in credentials or headers' });
    } else if (Array.isArray(node)) node.forEach((each, index) => walk(each, [...path, index]));
    else if (isJsonObject(node))
      for (const [name, each] of Object.entries(node)) if (!SECRET_MEMBERS.has(name)) walk(each, [...path, name]);
  };
  walk(sent, []);
  return faults;
}

function objectOf(node: JsonObject, change: (name: string, each: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, change(name, each)]));
}

function nodeAt(value: JsonObject, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((found, part) => {
    if (Array.isArray(found)) return found[part as number];
    return isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }, value);
}
