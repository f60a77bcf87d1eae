import { hideFromGuardrails } from '../isolation/guardrails.mjs';

export const law = 5;
export const name = 'what guardrails are to mask, in places and spellings of all kinds';
export const before =
  'members named `result`, `data`, `url`; numbers; `\\u` escapes; descriptions of tools; log probabilities of answers';
export const threshold =
  'nothing that is to be masked reaches a vendor, or a caller, in any place that the guide names';
export const run = hideFromGuardrails;
