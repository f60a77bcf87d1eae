import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Cartesia (docs/wire/cartesia.md): speech, and transcripts with words. */
export const cartesia: DeclaredVendor = {
  id: 'cartesia',
  declares: { title: 'Cartesia', ...declareApiKey('https://api.cartesia.ai') },
};
