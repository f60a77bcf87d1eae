/** Whom an account is for: vendors by their names, found by typing. */
import { TextInput } from '@mantine/core';
import { useState, type CSSProperties } from 'react';
import { t } from '../text/text.ts';
import type { Vendor } from './account-draft.ts';

/** Those that most people come for stand first; the others follow by their names. */
const FIRST = ['openai', 'anthropic', 'gemini', 'openai-compatible'];

export function VendorPicker({
  vendors,
  onPick,
}: {
  readonly vendors: readonly Vendor[];
  readonly onPick: (vendor: Vendor) => void;
}) {
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = vendors
    .filter((vendor) => wordsOf(vendor).includes(words))
    .toSorted((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title));
  return (
    <div className="stack">
      <TextInput
        label={t('Search vendors')}
        placeholder={t('OpenAI, Groq, Ollama …')}
        data-autofocus
        spellCheck={false}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <ul className="vendors">
        {found.map((vendor) => (
          <li key={vendor.id}>
            <button type="button" onClick={() => onPick(vendor)}>
              <VendorMark vendor={vendor} />
              <span>
                <b>{vendor.title}</b>
                <small>{vendor.keywords.length > 0 ? vendor.keywords.join(', ') : vendor.id}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="quiet">
          {t('No vendor has this name. If it speaks OpenAI’s API, choose “OpenAI-compatible server”.')}
        </p>
      )}
    </div>
  );
}

/** The first letter in a colour of its own. */
export function VendorMark({ vendor: { title } }: { readonly vendor: Pick<Vendor, 'title'> }) {
  const hue = Array.from(title).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  return (
    <span className="vendor-mark" aria-hidden="true" style={{ '--hue': hue } as CSSProperties}>
      {title.charAt(0)}
    </span>
  );
}

const wordsOf = ({ title, id, keywords, vendor }: Vendor): string =>
  [title, id, vendor, ...keywords].join(' ').toLowerCase();

function rank({ id }: Vendor): number {
  const place = FIRST.indexOf(id);
  return place === -1 ? FIRST.length : place;
}
