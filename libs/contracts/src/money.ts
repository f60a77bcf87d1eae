/** 500,000 quota units are one US dollar (design.md §2). */
export const UNITS_PER_DOLLAR = 500_000;
