/** Addresses of the console's own pages, as plain words: `/requests`, `{ model: 'gpt-5.2' }`. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, type AnchorHTMLAttributes } from 'react';

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

export type Filters = Readonly<Record<string, string | undefined>>;

/** The filters, and what changes some of them; `undefined` and the empty text take one away. */
export function useFilters(): [Filters, (changed: Filters) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [name, String(value)]),
  );
  const change = (changed: Filters): void => {
    const next = Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true });
  };
  return [filters, change];
}

/** Opens beside a list what the address names as `id`: for links to one owner or one key. */
export function useOpenById<T>(read: (id: number) => Promise<T>, open: (found: T) => void): void {
  const [{ id }, change] = useFilters();
  useEffect(() => {
    if (id === undefined || !/^\d{1,15}$/.test(id)) return;
    // Once it is open, closing it must not bring it back.
    change({ id: undefined });
    read(Number(id)).then(open, () => undefined);
    // The functions are others at each drawing.
  }, [id]);
}
