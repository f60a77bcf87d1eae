/** The longest family of attacks, in a file of its own: it begins first (vitest.config.mjs). */
import { everyLawIsHeld } from './attack.ts';

everyLawIsHeld('money', ['money-']);
