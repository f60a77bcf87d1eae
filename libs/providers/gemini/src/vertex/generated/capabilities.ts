// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Capabilities, VendorDeclaration } from '@model-gateway/provider-kit';
import { chat } from '../chat.ts';
import { embeddings, quirks as embeddingsQuirks } from '../embeddings.ts';
import { images } from '../images.ts';
import { music } from '../music.ts';

/** What the adapter can do: each a file of this folder. */
export const CAPABILITIES = { chat, embeddings, images, music } satisfies Capabilities;

/** What offers may say of it, as those files do. */
export const QUIRKS = { embeddings: embeddingsQuirks } satisfies NonNullable<VendorDeclaration['quirks']>;
