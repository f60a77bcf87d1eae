// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Capabilities, VendorDeclaration } from '@model-gateway/provider-kit';
import { music } from '../music.ts';
import { speech, quirks as speechQuirks } from '../speech.ts';
import { transcriptions } from '../transcriptions.ts';

/** What the adapter can do: each a file of this folder. */
export const CAPABILITIES = { music, speech, transcriptions } satisfies Capabilities;

/** What offers may say of it, as those files do. */
export const QUIRKS = { speech: speechQuirks } satisfies NonNullable<VendorDeclaration['quirks']>;
