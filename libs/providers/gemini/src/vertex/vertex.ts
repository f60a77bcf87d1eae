import { isJsonObject } from '@model-gateway/contracts';
import { readDialectFault, serviceAccountToken, type Account, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault as readGoogleFault } from '../fault.ts';
import { vertex as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { googleToken } from './google-auth.ts';

export const vertex: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  identifiers: ['project_id'],
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    if (key !== '') return { 'x-goog-api-key': key };
    const token = isOfLibrary(account)
      ? googleToken(account, now)
      : serviceAccountToken(account, request.send, now, false);
    return token.then((value) => ({ authorization: `Bearer ${value}` }));
  },
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

function isOfLibrary({ credentials, settings }: Account): boolean {
  return (credentials['credentials_file'] ?? '') !== '' || (settings['metadata_server'] ?? '') !== '';
}
