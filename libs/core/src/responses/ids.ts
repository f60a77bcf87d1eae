/** Ids of the gateway's own: no vendor makes such, so that nobody's memory is taken for another's. */
import { GatewayError } from '@model-gateway/contracts';

const RESPONSE = 'resp_gw_';
const CONVERSATION = 'conv_gw_';
const COMPLETION = 'chatcmpl-gw-';

export function responseIdOf(random: string): string {
  return `${RESPONSE}${random}`;
}

export function conversationIdOf(random: string): string {
  return `${CONVERSATION}${random}`;
}

export function completionIdOf(random: string): string {
  return `${COMPLETION}${random}`;
}

/** Whether it can be that of a chat completion that the gateway keeps. */
export function isCompletionId(id: string): boolean {
  return id.startsWith(COMPLETION) && mayBeKept(id);
}

/** Whether the gateway makes such ids. */
export function isOwnId(id: string): boolean {
  return id.startsWith(RESPONSE) || id.startsWith(CONVERSATION);
}

/** Whether a text can be an id of what is kept: a database is not asked for any other. */
export function mayBeKept(id: string): boolean {
  return /^[\w-]{1,200}$/.test(id);
}

/** The same words for another's, for one that is out of date and for one that never was. */
export function noSuch(
  what: 'response' | 'conversation' | 'item' | 'chat completion',
  id: string,
  param: string,
): GatewayError {
  return new GatewayError(
    'not_found',
    `${param}: there is no ${what} '${id.slice(0, 100)}'; it was deleted, has expired, or belongs to another owner`,
    { param, taken: 'no' },
  );
}
