// The one rule of ESLint's own that oxlint does not have: patterns of syntax. Under a name for each list of patterns, so that a folder adds one
// to those of the whole tree and does not repeat them.
import { builtinRules } from 'eslint/use-at-your-own-risk';

const patterns = builtinRules.get('no-restricted-syntax');

export default {
  meta: { name: 'eslint-core' },
  rules: { 'no-restricted-syntax': patterns, 'no-own-paths': patterns, 'no-chat-formats': patterns },
};
