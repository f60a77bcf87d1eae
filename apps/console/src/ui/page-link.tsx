/** Addresses of the console's own pages, as plain words: `/requests`, `{ model: 'gpt-5.2' }`. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';

export interface PageAddress {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

export function PageLink({
  to,
  search = {},
  ...others
}: PageAddress & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  return <Link to={to} search={search} {...(others as object)} />;
}

export function useOpenPage(): (address: PageAddress) => void {
  const navigate = useNavigate();
  return ({ to, search = {} }) => void navigate({ to: to, search: search });
}
