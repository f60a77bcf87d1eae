// The one rule of ESLint's own that oxlint does not have: patterns of syntax.
import { builtinRules } from 'eslint/use-at-your-own-risk';

export default {
  meta: { name: 'eslint-core' },
  rules: { 'no-restricted-syntax': builtinRules.get('no-restricted-syntax') },
};
