import { STREAM_KEEPS_BILLING, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { AWS_CREDENTIALS, regionOf, signed } from './sign.ts';

/** Amazon Bedrock: every model by Converse, Claude by InvokeModel, vectors and scores of documents (docs/wire/bedrock.md). */
export const bedrock: VendorAdapter = {
  id: 'bedrock',
  ...CAPABILITIES,
  declares: {
    title: 'Amazon Bedrock',
    telemetryName: 'aws.bedrock',
    baseUrl: (settings) => `https://bedrock-runtime.${regionOf({ settings })}.amazonaws.com`,
    credentials: {
      api_key: { about: 'A Bedrock API key, sent as a bearer.', secret: true },
      ...AWS_CREDENTIALS,
    },
    sufficient: [
      ['api_key'],
      ['access_key_id', 'secret_access_key'],
      ['role_arn', 'web_identity_token_file'],
      ['credentials_from'],
      ['profile'],
    ],
    wires: { converse: {}, invoke: {} },
    settings: {
      region: { type: 'text', about: 'The AWS region; us-east-1 unless said.' },
      credentials_from: {
        values: ['environment'],
        about:
          'Keys are found as AWS’s own programs find them: variables, shared files, a web identity, the container, the machine.',
      },
      profile: { type: 'text', about: 'A profile of the shared configuration files of AWS.' },
      guardrail: { type: 'text', about: 'The id or ARN of a guardrail that looks through every chat.' },
      guardrail_version: { type: 'text', about: 'Its version; DRAFT unless said.' },
      latency: {
        values: ['standard', 'optimized'],
        about: 'Whether chats are served sooner for more money, where the model can.',
      },
    },
    streamCancellation: () => STREAM_KEEPS_BILLING,
    quirks: QUIRKS,
    chatQuirks: { media_urls: false },
  },
  signsBodies: true,
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    return key === '' ? signed(request, account, now) : { authorization: `Bearer ${key}` };
  },
  readFault,
};
