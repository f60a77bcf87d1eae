import { GatewayError } from '@model-gateway/contracts';

/** The refusal of a field: `input[3] must be a text`. */
export function wrongField(param: string, what: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${what}`, { param });
}
