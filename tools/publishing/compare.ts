/** What changed between two documents, as Redocly's `diff` rates it, and whether the version says so. */
import { programOf, ROOT, node } from './sandbox.ts';

/** A new word in an answer's enum is no break: clients are told to expect words they do not know. */
const NOT_BREAKING = ['enum-values-added'];

export interface Comparison {
  /** One line for each change that would break somebody: where, and what. */
  readonly breaking: readonly string[];
  readonly base: string;
  readonly revision: string;
  /** Nothing breaks, or the version rose as far as a break demands. */
  readonly allowed: boolean;
}

interface Report {
  readonly infoVersions: { readonly base: string; readonly revision: string };
  readonly changes: readonly {
    readonly path: string;
    readonly verdicts: readonly { readonly ruleId: string; readonly impact: string; readonly message: string }[];
  }[];
}

/** Compares two documents by their paths. Rejects when one of them cannot be read. */
export async function compareDocuments(base: string, revision: string): Promise<Comparison> {
  // No configuration: one for the lint would switch the rules of the comparison off.
  const args = ['diff', base, revision, '--format', 'json', '--fail-on', 'none'];
  const text = await node([programOf('@redocly/cli'), ...args], ROOT);
  const { infoVersions, changes } = JSON.parse(text) as Report;
  const breaking = changes.flatMap(({ path, verdicts }) =>
    verdicts
      .filter(({ ruleId, impact }) => impact === 'major' && !NOT_BREAKING.includes(ruleId))
      .map(({ message }) => `${path}: ${message}`),
  );
  return {
    breaking,
    ...infoVersions,
    allowed: breaking.length === 0 || mayBreak(infoVersions.base, infoVersions.revision),
  };
}

/** Whether a version that follows another may break: the major rose; below 1.0 the minor stands in for it (semver.org, 4). */
export function mayBreak(base: string, revision: string): boolean {
  const [major = 0, minor = 0] = base.split('.').map(Number);
  const [nextMajor = 0, nextMinor = 0] = revision.split('.').map(Number);
  return nextMajor > major || (major === 0 && nextMajor === 0 && nextMinor > minor);
}
