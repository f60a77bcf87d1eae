import type { Core } from '../core.ts';

/** A group of operations. */
export class Resource {
  protected readonly core: Core;
  constructor(core: Core) {
    this.core = core;
  }
}
