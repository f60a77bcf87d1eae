/** The portal made from the document and the guides, page by page, as they are asked for. */
import { openApiDocument } from '../../http/document.ts';

export interface PortalFile {
  readonly type: string;
  readonly body: string | Uint8Array;
}
export interface Portal {
  /** One file, or nothing; `at` is the address it is served under when that is not its path: `/docs` for `index.html`. */
  file(path: string, at?: string): PortalFile | undefined | Promise<PortalFile | undefined>;
}
/** tools/docs/portal lies outside the projects, so it is loaded by its address. */
interface PortalModule {
  createPortal(options: { readonly document: object }): Portal & {
    medium(path: string): Promise<PortalFile> | undefined;
  };
}

let opened: Promise<Portal> | undefined;

/** The portal of this process, whose pages are made once. Rejects when a page's sources cannot be read. The bundle has `portal-from-disk.ts` in its place. */
export async function openPortal(): Promise<Portal> {
  opened ??= fromSources();
  try {
    return await opened;
  } catch (error) {
    opened = undefined;
    throw error;
  }
}

async function fromSources(): Promise<Portal> {
  const { href } = new URL('../../../../../tools/docs/portal/index.ts', import.meta.url);
  const module = (await import(href)) as PortalModule;
  const portal = module.createPortal({ document: openApiDocument() });
  return { file: (path, at) => portal.file(path, at) ?? portal.medium(path) };
}
