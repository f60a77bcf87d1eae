/** Vendors of media jobs as a configuration knows them; what is said at their wires is data, read when an account is on. */
import { declareApiKey, type DeclaredVendor, type Vendor } from '@model-gateway/provider-kit';
import type { JobVendor } from './job-vendor.ts';

function jobVendor(declared: DeclaredVendor, data: () => Promise<JobVendor>): Vendor {
  return {
    ...declared,
    load: async () => {
      const [{ jobAdapter }, vendor] = await Promise.all([import('./job-adapter.ts'), data()]);
      return jobAdapter(declared, vendor);
    },
  };
}

/** Why a name cannot be a model's, in the words of `example`. */
function unlike(pattern: RegExp, title: string, example: string) {
  return ({ model }: { readonly model: string }): string | undefined =>
    pattern.test(model) ? undefined : `'${model}' is not a model name ${title} understands; it wants ${example}`;
}

export const bfl = jobVendor(
  {
    id: 'bfl',
    declares: {
      title: 'Black Forest Labs',
      keywords: ['flux'],
      ...declareApiKey('https://api.bfl.ai/v1'),
      refuseModel: unlike(/^flux[\w.-]*$/, 'Black Forest Labs', 'one such as flux-kontext-pro'),
    },
  },
  async () => (await import('./bfl.ts')).BFL,
);

export const fal = jobVendor(
  {
    id: 'fal',
    declares: {
      title: 'fal',
      ...declareApiKey('https://queue.fal.run'),
      refuseModel: unlike(/^[\w.-]+(\/[\w.-]+)+$/, 'fal', 'one such as fal-ai/flux/dev'),
    },
  },
  async () => (await import('./fal.ts')).FAL,
);

export const luma = jobVendor(
  {
    id: 'luma',
    declares: {
      title: 'Luma',
      keywords: ['dream machine', 'ray', 'photon'],
      ...declareApiKey('https://api.lumalabs.ai/dream-machine/v1'),
    },
  },
  async () => (await import('./luma.ts')).LUMA,
);

export const pixverse = jobVendor(
  {
    id: 'pixverse',
    declares: {
      title: 'PixVerse',
      ...declareApiKey('https://app-api.pixverse.ai/openapi/v2'),
      refuseModel: unlike(/^(?:v\d+(?:\.\d+)?|c\d+)$/, 'PixVerse', 'one such as v6'),
    },
  },
  async () => (await import('./pixverse.ts')).PIXVERSE,
);

export const replicate = jobVendor(
  {
    id: 'replicate',
    declares: {
      title: 'Replicate',
      ...declareApiKey('https://api.replicate.com/v1'),
      refuseModel: unlike(
        /^(?:deployments\/)?[\w.-]+\/[\w.-]+(?::[0-9a-f]{64})?$|^[0-9a-f]{64}$/,
        'Replicate',
        'owner/name, owner/name:version or deployments/owner/name',
      ),
    },
  },
  async () => (await import('./replicate.ts')).REPLICATE,
);

export const runway = jobVendor(
  { id: 'runway', declares: { title: 'Runway', ...declareApiKey('https://api.dev.runwayml.com/v1') } },
  async () => (await import('./runway.ts')).RUNWAY,
);
