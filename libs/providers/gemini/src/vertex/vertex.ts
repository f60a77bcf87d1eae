import { isJsonObject } from '@model-gateway/contracts';
import { readDialectFault, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault as readGoogleFault } from '../fault.ts';
import { vertex as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { authorizeGoogle } from './google-auth.ts';

export const vertex: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  identifiers: ['project_id'],
  authorize: authorizeGoogle,
  readFault(reply) {
    const json = Array.isArray(reply.json) ? reply.json[0] : reply.json;
    // Claude's own refusals come in Anthropic's words, the platform's in Google's.
    const isGoogles = isJsonObject(json) && isJsonObject(json['error']) && json['type'] !== 'error';
    return isGoogles ? readGoogleFault(reply) : readDialectFault(reply);
  },
  declares: {
    ...declared.declares,
    quirks: {
      ...QUIRKS,
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
};
