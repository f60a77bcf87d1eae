/** Whether a model is one of Cohere's, by an id that may have a region, or an address, before its maker. */
export function isCohere(model: string): boolean {
  return /(?:^|[./])cohere\./.test(model);
}
