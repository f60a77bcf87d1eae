/** What OpenAI and the servers of its wires may be told alike. */
import * as generated from './generated/capabilities.ts';
import {
  COMPLETIONS_PATH,
  declareApiKey,
  type VendorDeclaration,
  type Account,
  type SignableRequest,
} from '@model-gateway/provider-kit';

/** xAI's videos have a wire of their own, picked by the account's `wire: xai`. */
export const WIRES: NonNullable<VendorDeclaration['wires']> = { xai: declareApiKey('https://api.x.ai/v1') };

export const SETTINGS: NonNullable<VendorDeclaration['settings']> = {
  organization: { type: 'text', about: 'Sent as `openai-organization`.' },
  project: { type: 'text', about: 'Sent as `openai-project`.' },
  ...COMPLETIONS_PATH,
};

/** How an account says whether responses over a WebSocket are asked for over one. */
export function websocketSetting(about: string): NonNullable<VendorDeclaration['settings']> {
  return { responses_websocket: { values: ['on', 'off'], about } };
}

export const QUIRKS: NonNullable<VendorDeclaration['quirks']> = {
  ...generated.QUIRKS,
  images: {
    gpt_image: {
      type: 'flag',
      about: 'Whether the model takes what gpt-image models take; told by its name unless said.',
    },
    sizes: {
      values: ['free', 'any'],
      type: 'texts',
      about: 'The sizes the model makes; `free` within gpt-image’s rules, `any` to send what the caller wrote.',
    },
  },
  speech: {
    stream_format: {
      values: ['sse', 'audio'],
      about: 'How the vendor is asked to stream; `sse` says what it counted.',
    },
    max_characters: { type: 'count', about: 'The longest text of one request, in characters; 4096 unless said.' },
  },
};

/** A bearer key where there is one, and the organization and project of an account that names them. */
export function authorize(_request: SignableRequest, account: Account): Record<string, string> {
  const { organization, project } = account.settings;
  const key = account.credentials['api_key'] ?? '';
  return {
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
  };
}
