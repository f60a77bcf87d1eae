/** Addresses between the portal's pages. */
import { slug } from './html.ts';

export function pageOfTag(tag: string): string {
  return `reference/${slug(tag)}`;
}

/** From one page to a file, both from the portal's root. */
export function relative(page: string, target: string): string {
  return '../'.repeat(page.split('/').length - 1) + target;
}

/** The start page is served at an address without its folder: its links begin with that folder's name. */
export function under(html: string, at: string): string {
  const folder = `${at.split('/').at(-1) ?? ''}/`;
  return html
    .replace(/(\s(?:href|src|data-page)=")(?!https?:|mailto:|#|\/|data:)/g, `$1${folder}`)
    .replace('data-root=""', `data-root="${folder}"`);
}

export interface Targets {
  /** The page of an operation. */
  readonly operations: ReadonlyMap<string, string>;
  /** Paths of the guides. */
  readonly guides: readonly string[];
}

/**
 * Where a link of a guide leads from `page`, to files with the ending `ending`: `<guide>.md#<heading>` to that guide, `ref:createVideoTask` to
 * the operation. Undefined for what is no page of the portal; throws for an operation or a guide that is not there.
 */
export function linkFrom(
  page: string,
  target: string,
  { operations, guides }: Targets,
  ending = 'html',
): string | undefined {
  const operation = /^ref:(\w+)$/.exec(target)?.[1];
  if (operation !== undefined) {
    const found = operations.get(operation);
    if (found === undefined) throw new Error(`${page} links to ${target}, which the document does not have`);
    return `${relative(page, `${found}.${ending}`)}#${operation}`;
  }
  const [, file, hash = ''] = /^([\w./-]+)\.md(#[\w-]+)?$/.exec(target) ?? [];
  if (file === undefined) return undefined;
  const name = file.split('/').at(-1) ?? file;
  const found = guides.find((path) => path === name || path.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`${page} links to ${target}, which is no guide`);
  return `${relative(page, `${found}.${ending}`)}${hash}`;
}
