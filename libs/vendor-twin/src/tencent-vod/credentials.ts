export const CREDENTIALS = {
  secret_id: 'AKIDtest0000000000000000000000000000',
  secret_key: 'testSecretKey0123456789',
  sub_app_id: '1500000001',
};
