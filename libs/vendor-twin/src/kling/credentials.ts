export const CREDENTIALS = { access_key: 'ak-test', secret_key: 'sk-test' };
