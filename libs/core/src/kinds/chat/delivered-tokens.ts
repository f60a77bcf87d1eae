/** How many tokens a vendor bills for what a stream has brought, by modality, when it has not said so itself. */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Delivered } from '@model-gateway/translate';
import { secondsOfSound, tokensOfSound } from '../../paid/sound.ts';

/** Four bytes of text are about a token. */
const BYTES_PER_TOKEN = 4;
/** Vendors bill 270 to 4,200 tokens for a picture, the larger ones 1,300 to 2,000. */
const TOKENS_PER_PICTURE = 2_000;

/** Tokens of so many bytes of text. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The output a stream has brought so far; sound and pictures are parts of the whole. `body` is the caller's. */
export function outputOf(delivered: Delivered, body: JsonObject): Usage {
  const { audio } = body;
  const format = isJsonObject(audio) ? audio['format'] : undefined;
  const sound = delivered.audio === 0 ? 0 : tokensOfSound(secondsOfSound(delivered.audio, format));
  const pictures = picturesIn(delivered) * TOKENS_PER_PICTURE;
  return {
    outputTokens: tokensOf(delivered.text) + sound + pictures,
    ...(sound > 0 && { outputAudioTokens: sound }),
    ...(pictures > 0 && { outputImageTokens: pictures }),
  };
}

/** About how many tokens have come: for how often something is done. */
export function tokensIn(delivered: Delivered): number {
  const { text, audio } = delivered;
  const sound = audio === 0 ? 0 : tokensOfSound(secondsOfSound(audio, undefined));
  return text / BYTES_PER_TOKEN + sound + picturesIn(delivered) * TOKENS_PER_PICTURE;
}

/** Drafts are of a picture that the vendor bills whole. */
function picturesIn({ pictures, drafts }: Delivered): number {
  return drafts > 0 ? Math.max(1, pictures) : pictures;
}
