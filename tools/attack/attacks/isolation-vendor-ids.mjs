import { guessVendorIds } from '../isolation/vendor-ids.mjs';

export const law = 5;
export const name = 'what a vendor keeps for another owner';
export const before = 'any id of another owner’s was passed on to the vendor';
export const threshold = '0 of all tries succeed; the owner’s own all do';
export const run = guessVendorIds;
