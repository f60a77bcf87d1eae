import {
  STREAM_KEEPS_BILLING,
  type Account,
  type DeclaredCredential,
  type DeclaredVendor,
} from '@model-gateway/provider-kit';

const AWS_CREDENTIALS: Readonly<Record<string, DeclaredCredential>> = {
  access_key_id: { about: 'The id of an access key.', secret: false },
  secret_access_key: { about: 'Its secret.', secret: true },
  session_token: { about: 'The session token of temporary keys.', secret: true },
  role_arn: {
    about: 'A role that is assumed: with the token file, or with whatever else the account has.',
    secret: false,
  },
  web_identity_token_file: {
    about: 'A file with the token of a web identity, which is read anew whenever the role is assumed.',
    secret: false,
  },
};

/** Amazon Bedrock: every model by Converse, Claude by InvokeModel, vectors and scores of documents (docs/wire/bedrock.md). */
export const bedrock: DeclaredVendor = {
  id: 'bedrock',
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
    regionSetting: 'region',
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
    chatQuirks: { media_urls: false },
  },
};

/** The account's region; the usual one where a variable is not set. */
export function regionOf({ settings }: Pick<Account, 'settings'>): string {
  const region = settings['region'] ?? '';
  return region === '' ? 'us-east-1' : region;
}
