/** A long list: read page by page, of which only what is in sight is drawn. */
import { Button, Loader, Drawer } from '@mantine/core';
import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { t } from '../text/text.ts';
import { FaultBox } from './parts.tsx';

export interface Column<Row> {
  readonly name: string;
  /** As grid-template-columns has it: `120px`, `2fr`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** Left out on narrow screens. */
  readonly extra?: boolean;
  /** Long texts take two lines instead of being cut after one. */
  readonly wraps?: boolean;
  /** Its width on narrow screens; a share of the row when absent. */
  readonly narrow?: string;
  /** Its name in the order of the rows; absent: they are not ordered by it. */
  readonly order?: string;
}

/** By which column rows stand in order; `-name` is the other way round. */
export interface RowOrder {
  readonly by: string | undefined;
  readonly onOrder: (by: string) => void;
}

export interface Page<Row, After> {
  readonly data: readonly Row[];
  readonly next_after?: After | null;
}

export interface ListProps<Row, After extends string | number> {
  /** What it is a list of, for those who cannot see it. */
  readonly label: string;
  readonly queryKey: QueryKey;
  readonly read: (after: After | undefined) => Promise<Page<Row, After>>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string | number;
  /** The first column becomes a button that opens the row. */
  readonly onOpen?: (row: Row) => void;
  readonly empty: ReactNode;
  /** Milliseconds between two looks for what is new, by what is shown. */
  readonly refresh?: (rows: readonly Row[]) => number;
  /** Drawn beside the rows, of those that are shown. */
  readonly beside?: (rows: readonly Row[]) => ReactNode;
}

const ROW = 44;
/** A page of a search may be empty although there is more to look through; so many of them are passed over without being asked. */
const EMPTY_PAGES = 10;

/** The list, or why there is none. */
export function List<Row, After extends string | number>(props: ListProps<Row, After>) {
  const { queryKey, read, refresh, beside } = props;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam as After | undefined),
    initialPageParam: undefined as After | undefined,
    getNextPageParam: (last) => last.next_after ?? undefined,
    // Whoever has read on looks at what was, and all of it would be read anew.
    refetchInterval: ({ state: { data } }) =>
      refresh === undefined || (data?.pages.length ?? 0) > 1
        ? false
        : refresh(data?.pages.flatMap((page) => page.data) ?? []),
  });
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap(({ data }) => data);
  const emptyAtEnd = pages.length - 1 - pages.findLastIndex(({ data }) => data.length > 0);
  const { hasNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && emptyAtEnd > 0 && emptyAtEnd < EMPTY_PAGES) void fetchNextPage();
  }, [hasNextPage, emptyAtEnd, fetchNextPage]);
  if (query.isError && rows.length === 0) return <FaultBox error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending)
    return (
      <div className="empty">
        <Loader aria-label={t('Loading')} />
      </div>
    );
  if (rows.length === 0 && !hasNextPage) return <>{props.empty}</>;
  return (
    <>
      {beside?.(rows)}
      {rows.length === 0 ? (
        <p className="quiet">{t('Nothing found yet; there is more to look through.')}</p>
      ) : (
        <Rows {...props} rows={rows} onEnd={() => hasNextPage && !query.isFetchingNextPage && void fetchNextPage()} />
      )}
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Load more')}
        </Button>
      )}
    </>
  );
}

export type RowsProps<Row> = Pick<ListProps<Row, string>, 'label' | 'columns' | 'rowKey' | 'onOpen'> & {
  readonly rows: readonly Row[];
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
  /** Absent: the rows come as they are. */
  readonly order?: RowOrder;
};

/** Rows that are all there, of which only those in sight are drawn. */
export function Rows<Row>({ label, columns, rowKey, onOpen, rows, onEnd, order }: RowsProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialRect: { width: 1000, height: 700 },
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 5) onEnd?.();
    // What `onEnd` does changes with each drawing; when it is due does not.
  }, [last, rows.length]);
  const style = {
    '--columns': columns.map(({ width }) => `minmax(0, ${width})`).join(' '),
    '--columns-narrow': columns
      .filter(({ extra }) => extra !== true)
      .map(({ narrow }, at) => `minmax(0, ${narrow ?? (at === 0 ? '1.3fr' : '1fr')})`)
      .join(' '),
    '--least': `${columns.length * 100}px`,
  } as CSSProperties;
  return (
    <div
      ref={box}
      className="table"
      style={style}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
    >
      <div role="rowgroup">
        <div className="head" role="row">
          {columns.map((column) => (
            <HeadCell key={column.name} column={column} order={order} />
          ))}
        </div>
      </div>
      <div className="body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={rowKey(row)}
              role="row"
              aria-rowindex={index + 2}
              className={`line${onOpen === undefined ? '' : ' opens'}`}
              style={{ transform: `translateY(${start}px)` }}
              onClick={onOpen === undefined ? undefined : () => onOpen(row)}
            >
              {columns.map((column, at) => (
                <div key={column.name} role="cell" className={cellClass(column)}>
                  {at === 0 && onOpen !== undefined ? (
                    <button type="button" className="open">
                      {column.cell(row)}
                    </button>
                  ) : (
                    column.cell(row)
                  )}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The name of a column; where rows are ordered by it, a button that does that, and turns the order round. */
function HeadCell<Row>({ column, order }: { column: Column<Row>; order: RowOrder | undefined }) {
  const { name, order: by } = column;
  if (order === undefined || by === undefined)
    return (
      <div role="columnheader" className={cellClass(column)}>
        {name}
      </div>
    );
  const isUp = order.by === by;
  const isDown = order.by === `-${by}`;
  return (
    <div
      role="columnheader"
      className={cellClass(column)}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
    >
      <button type="button" className="order" onClick={() => order.onOrder(isUp ? `-${by}` : by)}>
        {name}{' '}
        <span aria-hidden className={isUp || isDown ? undefined : 'idle'}>
          {isUp ? '↑' : isDown ? '↓' : '↕'}
        </span>
      </button>
    </div>
  );
}

function cellClass<Row>({ right, extra, wraps }: Column<Row>): string {
  return `cell${right === true ? ' right' : ''}${extra === true ? ' extra' : ''}${wraps === true ? ' wraps' : ''}`;
}

export function Side({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size="min(620px, 100vw)"
      title={title}
      closeButtonProps={{ 'aria-label': t('Close') }}
      transitionProps={{ duration: 120 }}
    >
      <div className="stack">{children}</div>
    </Drawer>
  );
}
