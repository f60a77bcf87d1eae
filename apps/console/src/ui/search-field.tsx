/** Fields of filters: what is typed goes into the address a moment later. */
import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 350;

export function SearchField({
  label,
  value,
  placeholder,
  onValue,
}: {
  label: string;
  value: string | undefined;
  placeholder?: string;
  onValue: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value ?? '');
  const told = useRef(value ?? '');
  useEffect(() => {
    // What comes back is what was typed a moment ago: more may have been typed since.
    if ((value ?? '') !== told.current) setTyped(value ?? '');
    told.current = value ?? '';
  }, [value]);
  useEffect(() => {
    if (typed.trim() === told.current) return undefined;
    const timer = setTimeout(() => {
      told.current = typed.trim();
      onValue(told.current === '' ? undefined : told.current);
    }, TYPING_MS);
    return () => clearTimeout(timer);
    // `onValue` is another function at each drawing; what was typed says when it is due.
  }, [typed]);
  return (
    <TextInput
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

/** A moment in the person's own time zone, as RFC 3339 in the address. */
export function TimeField({
  label,
  value,
  onValue,
}: {
  label: string;
  value: string | undefined;
  onValue: (value: string | undefined) => void;
}) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      step={1}
      value={value === undefined ? '' : toLocal(value)}
      onChange={({ currentTarget }) =>
        onValue(currentTarget.value === '' ? undefined : new Date(currentTarget.value).toISOString())
      }
    />
  );
}

function toLocal(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
