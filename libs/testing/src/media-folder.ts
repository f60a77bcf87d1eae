import { fileURLToPath } from 'node:url';

/** Where the twins of tests keep pictures, films and speech that one of them has made: making them takes longer than most tests. A run begins without. */
export const TEST_MEDIA_FOLDER = fileURLToPath(new URL('../../../.test-results/media', import.meta.url));
