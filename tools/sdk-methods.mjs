// Writes docs/sdk-methods.md: what becomes of every method of the official SDKs, from the packages and the lists of apps/gateway/test/sdk-methods/.
import { SDKS, methodsPage } from '../apps/gateway/test/sdk-methods/page.ts';
import { writePage } from './write-page.mjs';

await writePage(new URL('../docs/sdk-methods.md', import.meta.url), methodsPage(SDKS));
