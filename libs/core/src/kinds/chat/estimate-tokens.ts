/** How long a text is, where no vendor counted it. */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import { estimateTokenCount } from 'tokenx';

const LONGEST_MEDIA_TEXT = 1000;
/** Characters that are counted: some hundredths of a second. */
const MOST_COUNTED = 256 * 1024;

/** About how many tokens the text of a body has; media counts as what vendors usually bill for one. Of a long text a part is counted and the rest reckoned by it. */
export function estimateTokens(body: Json): number {
  const TOKENS_PER_MEDIUM = 1000;
  let text = '';
  let length = 0;
  let media = 0;
  const walk = (value: Json): void => {
    if (typeof value === 'string') {
      if (value.length > LONGEST_MEDIA_TEXT && !value.includes(' ')) media++;
      else {
        length += value.length + 1;
        if (text.length < MOST_COUNTED) text += `${value.slice(0, MOST_COUNTED - text.length)}\n`;
      }
    } else if (Array.isArray(value)) value.forEach(walk);
    else if (isJsonObject(value)) Object.values(value).forEach(walk);
  };
  walk(body);
  const tokens = estimateTokenCount(text);
  const whole = length > text.length ? Math.ceil((tokens * length) / text.length) : tokens;
  return whole + media * TOKENS_PER_MEDIUM;
}
