import { FAL } from './fal.ts';
import { jobAdapter } from './job-adapter.ts';
import { REPLICATE } from './replicate.ts';

export const fal = jobAdapter(FAL);
export const replicate = jobAdapter(REPLICATE);
