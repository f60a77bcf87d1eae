/** 500,000 quota units are one US dollar (docs/architecture.md#words). */
export const UNITS_PER_DOLLAR = 500_000;
