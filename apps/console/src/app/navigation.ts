/** The pages, who may see them, and how the keyboard gets there. */
import type { Rights } from '../api/session.ts';
import type { Text } from '../text/text.ts';

export interface PageEntry {
  readonly path: string;
  readonly title: Text;
  readonly group: Text;
  /** Of a 20 × 20 drawing. */
  readonly icon: string;
  /** After `g`, which is none itself: it would begin anew. */
  readonly letter: string;
  readonly isOpenTo: (rights: Rights) => boolean;
}

const admin = (rights: Rights): boolean => rights.admin;
const anybody = (): boolean => true;
const payingOrAdmin = ({ admin: isAdmin, mayPay }: Rights): boolean => isAdmin || mayPay;
const keyOrAdmin = ({ admin: isAdmin, key }: Rights): boolean => isAdmin || key !== null;

export const PAGES: readonly PageEntry[] = [
  {
    path: '/playground',
    title: 'Playground',
    group: 'Build',
    letter: 'p',
    icon: 'M6 3.5 16 10 6 16.500Z',
    isOpenTo: payingOrAdmin,
  },
  {
    path: '/models',
    title: 'Models',
    group: 'Build',
    letter: 'm',
    icon: 'M10 2.500 17 6v8l-7 3.500L3 14V6Zm0 7.500L3.300 6.300M10 10l6.700-3.700M10 10v7.300',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/tasks',
    title: 'Tasks',
    group: 'Build',
    letter: 't',
    icon: 'M3 4h14v9H3ZM7 17h6M8.500 6.500v4l3.500-2Z',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/',
    title: 'Overview',
    group: 'Observe',
    letter: 'o',
    icon: 'M3 17V9h3.500v8ZM8.300 17V4h3.500v13ZM13.600 17v-6H17v6Z',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/usage',
    title: 'Usage',
    group: 'Observe',
    letter: 'd',
    icon: 'M10 2.500v15M13.500 6c-.5-1.300-1.800-2-3.500-2-2 0-3.500 1-3.500 2.800 0 3.800 7.200 2.200 7.200 6 0 2-1.700 3.200-3.700 3.200-2 0-3.500-1-3.900-2.500',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/requests',
    title: 'Requests',
    group: 'Observe',
    letter: 'r',
    icon: 'M3 5h14M3 10h14M3 15h9',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/insights',
    title: 'Insights',
    group: 'Observe',
    letter: 'v',
    icon: 'M7 14.500c0-2-2.500-3-2.500-6.200a5.500 5.500 0 0 1 11 0c0 3.200-2.500 4.200-2.500 6.200ZM7.500 17.500h5',
    isOpenTo: admin,
  },
  {
    path: '/statement',
    title: 'Statement',
    group: 'Observe',
    letter: 'b',
    icon: 'M5 2.500h7l3.500 3.500v11.500H5ZM12 2.500V6h3.500M7.500 9.500h5.500M7.500 12h5.500M7.500 14.500h3',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/ledger',
    title: 'Ledger',
    group: 'Observe',
    letter: 'l',
    icon: 'M4 3h12v14H4ZM7 7h6M7 10h6M7 13h3',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Observe',
    letter: 'h',
    icon: 'M3 9.500 17 3l-4 14-3.500-5.500ZM9.500 11.500 17 3',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/keys',
    title: 'Keys',
    group: 'Observe',
    letter: 'k',
    icon: 'M12.500 3a4.500 4.500 0 1 1-3.300 7.600L3.500 16.300V17H6v-2h2v-2l1.800-1.800M13.500 6.500v.010',
    isOpenTo: keyOrAdmin,
  },
  {
    path: '/owners',
    title: 'Owners and money',
    group: 'Operate',
    letter: 'w',
    icon: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM1.500 17c0-3.500 2.500-5.500 5.500-5.500s5.500 2 5.500 5.500M13 9a3 3 0 0 0 0-6M15 11.800c2 .700 3.500 2.500 3.500 5.200',
    isOpenTo: admin,
  },
  {
    path: '/people',
    title: 'People and roles',
    group: 'Operate',
    letter: 'e',
    icon: 'M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM3.500 17.500c0-3.500 3-5.500 6.500-5.500s6.500 2 6.500 5.500Z',
    isOpenTo: admin,
  },
  {
    path: '/budgets',
    title: 'Budgets',
    group: 'Operate',
    letter: 'q',
    icon: 'M3 16a7.500 7.500 0 1 1 14 0M10 16l4-5.500M5.500 16h.010M14.500 16h.010M10 7.500v.010',
    isOpenTo: admin,
  },
  {
    path: '/bills',
    title: 'Vendor bills',
    group: 'Operate',
    letter: 'x',
    icon: 'M5 2.500v15l2.500-1.500 2.500 1.500 2.500-1.500 2.500 1.500v-15ZM7.500 6.500h5M7.500 9.500h5M7.500 12.500h3',
    isOpenTo: admin,
  },
  {
    path: '/alerts',
    title: 'Alerts',
    group: 'Operate',
    letter: 'j',
    icon: 'M4.500 14.500h11l-1.500-2.500V8.500a4 4 0 0 0-8 0V12ZM8.500 17h3M10 4.500V3',
    isOpenTo: admin,
  },
  {
    path: '/accounts',
    title: 'Accounts',
    group: 'Operate',
    letter: 'a',
    icon: 'M3 4h14v5H3ZM3 11h14v5H3ZM6 6.500h.010M6 13.500h.010',
    isOpenTo: admin,
  },
  {
    path: '/routes',
    title: 'Routes',
    group: 'Operate',
    letter: 'u',
    icon: 'M3 10h5c3 0 3-5 9-5M8 10c3 0 3 5 9 5M14.500 2.500 17 5l-2.500 2.500M14.500 12.500 17 15l-2.500 2.500',
    isOpenTo: admin,
  },
  {
    path: '/guardrails',
    title: 'Guardrails',
    group: 'Operate',
    letter: 'f',
    icon: 'M10 2.500 4 5v4.500c0 4 2.500 6.500 6 8 3.500-1.500 6-4 6-8V5ZM7.500 7.500l5 5M12.500 7.500l-5 5',
    isOpenTo: admin,
  },
  {
    path: '/maintenance',
    title: 'Maintenance',
    group: 'Operate',
    letter: 'n',
    icon: 'M13 3a4 4 0 0 0-3.800 5.300L3 14.500 5.500 17l6.200-6.200A4 4 0 0 0 17 7l-2.500 2.500L11.500 8 10.500 5Z',
    isOpenTo: admin,
  },
  {
    path: '/audit',
    title: 'Audit log',
    group: 'Operate',
    letter: 'i',
    icon: 'M10 2 4 4.500V9c0 4 2.500 7 6 9 3.500-2 6-5 6-9V4.500ZM7.500 10l2 2 3.500-4',
    isOpenTo: admin,
  },
  {
    path: '/configuration',
    title: 'Configuration',
    group: 'Operate',
    letter: 'c',
    icon: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4',
    isOpenTo: admin,
  },
  {
    path: '/settings',
    title: 'Settings',
    group: 'Operate',
    letter: 's',
    icon: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM10 2v2.500M10 15.500V18M2 10h2.500M15.500 10H18M4.300 4.300l1.800 1.800M13.900 13.900l1.800 1.800M15.700 4.300l-1.800 1.800M6.100 13.900l-1.800 1.800',
    isOpenTo: anybody,
  },
];

/** The pages that the session may see. */
export const pagesOf = (rights: Rights): readonly PageEntry[] => PAGES.filter(({ isOpenTo }) => isOpenTo(rights));
