// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Capabilities, VendorDeclaration } from '@model-gateway/provider-kit';
import { images, quirks as imagesQuirks } from '../images.ts';

/** What the adapter can do: each a file of this folder. */
export const CAPABILITIES = { images } satisfies Capabilities;

/** What offers may say of it, as those files do. */
export const QUIRKS = { images: imagesQuirks } satisfies NonNullable<VendorDeclaration['quirks']>;
