/** Where people go on after signing in: a page of the console, whatever was asked for. */
import { CONSOLE_MOUNT } from '../../../http/mounts.ts';

const LONGEST = 1_000;
const ANY_ORIGIN = 'https://gateway.invalid';

/** The page that was asked for as path, query and fragment; the first page where it is none of the console's. */
export function safeReturn(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !/^\/(?![/\\])/.test(asked)) return CONSOLE_MOUNT;
  if (!URL.canParse(asked, ANY_ORIGIN)) return CONSOLE_MOUNT;
  // Read as browsers read it: dots are followed, backslashes are slashes.
  const { origin, pathname, search, hash } = new URL(asked, ANY_ORIGIN);
  const isPage = origin === ANY_ORIGIN && (pathname === CONSOLE_MOUNT || pathname.startsWith(`${CONSOLE_MOUNT}/`));
  return isPage ? `${pathname}${search}${hash}` : CONSOLE_MOUNT;
}
