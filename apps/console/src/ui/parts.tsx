/** Small parts that every page is made of. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { faultAt, faultOf } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { timeParts } from './format.ts';

/** The title of a page, one sentence about it, and what can be done there. */
export function PageHead({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      <div className="row">{children}</div>
    </div>
  );
}

/** Says that there is nothing, and what to do next. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A moment in a row of a table: on narrow screens the time of day stands under the day. */
export function When({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined || at === '') return <>–</>;
  const { day, time } = timeParts(at);
  return (
    <time className="when" dateTime={at}>
      <span>{day}</span> <span>{time}</span>
    </time>
  );
}

/** Filters of a page; on narrow screens they are behind a button, which counts those that are set. */
export function FilterBar({ set, children }: { set: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        className="only-narrow filter-button"
        variant="default"
        size="xs"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {set === 0 ? t('Filters') : t('Filters ({count})', { count: set })}
      </Button>
      <div className={`filters${isOpen ? ' open' : ''}`}>{children}</div>
    </>
  );
}

/** A refusal in words, with the id that finds it in the log. */
export function FaultBox({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { message, code, requestId } = faultOf(error);
  return (
    <div className="fault" role="alert">
      <b>{message}</b>
      <p className="small quiet">
        <code>{code}</code>
        {requestId !== undefined && (
          <>
            {' · '}
            {t('Request id')} <code>{requestId}</code> <Copy text={requestId} label={t('Copy the request id')} />
          </>
        )}
      </p>
      {onRetry !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  );
}

/** What went wrong with a form: at its field, which is brought into view, or where it is of none beneath them all. */
export function FormFault({ error, fields }: { error: unknown; fields: readonly string[] }) {
  const place = useRef<HTMLDivElement>(null);
  const isPlaced = error !== null && fields.some((field) => faultAt(error, field) !== undefined);
  useEffect(() => {
    if (!isPlaced) return;
    place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [isPlaced, error]);
  if (error === null) return undefined;
  return <div ref={place}>{isPlaced ? undefined : <FaultBox error={error} />}</div>;
}

export type Tone = 'ok' | 'bad' | 'warn' | 'accent' | 'quiet' | 'plain';
export function Tag({ tone = 'quiet', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`tag ${tone}`}>{children}</span>;
}

/** Names and values; what is undefined is left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(of)
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <FactRow key={name} name={name} value={value} />
        ))}
    </dl>
  );
}

function FactRow({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** A button that copies, and says that it did. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      className="copy"
      size="compact-xs"
      variant="default"
      aria-label={label}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(true));
      }}
    >
      {copied ? t('Copied') : t('Copy')}
    </Button>
  );
}

/** Text as it was typed, with a button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}

/** How much of a limit is used; both in the same unit. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <div
      className={`meter ${share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : ''}`}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}
