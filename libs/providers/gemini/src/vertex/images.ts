import { geminiImages } from '../images.ts';
import { vertexModel } from './addresses.ts';

/** Gemini's image models. */
export const images = geminiImages(({ model, account }) =>
  vertexModel('google', model, 'generateContent', account.settings),
);
