/** The only import of the generated contracts; types alone, so that the built package carries none of their code. */
export type { components, operations, paths } from '@model-gateway/contracts';
