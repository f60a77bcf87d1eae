/** A model's or an account's row as fields: of everything that the schema has, with what is wrong beside it. */
import { Autocomplete, Button, TagsInput, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { t } from '../text/text.ts';
import {
  pathText,
  shownValue,
  typedValue,
  valueAt,
  withValue,
  type Member,
  type Row,
  type RowPath,
  type Shape,
} from './row-schema.ts';

export interface RowFormProps {
  readonly members: readonly Member[];
  readonly row: Row;
  /** What the row lies over: shown where the row itself says nothing. */
  readonly beneath: Row | null;
  /** What is wrong, by where it stands: `offers[0].account`. */
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (row: Row) => void;
}

interface PlaceProps extends RowFormProps {
  readonly path: RowPath;
}

export function RowForm(props: RowFormProps) {
  return (
    <div className="stack row-form">
      <Members {...props} path={[]} />
    </div>
  );
}

/** What people come for stands above everything else. */
const FIRST: readonly string[] = ['offers', 'price', 'limits'];

/** Fields beside each other; what has members of its own beneath them. */
function Members({ members, ...place }: PlaceProps) {
  const isSmall = ({ shape: { is } }: Member): boolean => is === 'scalar' || is === 'list';
  const isFirst = ({ name }: Member): boolean => place.path.length === 0 && FIRST.includes(name);
  return (
    <>
      {members.filter(isFirst).map((member) => (
        <Large key={member.name} member={member} {...place} members={members} />
      ))}
      <div className="fields">
        {members.filter(isSmall).map((member) => (
          <Small key={member.name} member={member} {...place} members={members} />
        ))}
      </div>
      {members
        .filter((member) => !isSmall(member) && !isFirst(member))
        .map((member) => (
          <Large key={member.name} member={member} {...place} members={members} />
        ))}
    </>
  );
}

type MemberProps = PlaceProps & { readonly member: Member };

function Small({ member, ...place }: MemberProps) {
  const { row, beneath, faults, onChange } = place;
  const { name, about, isRequired, shape } = member;
  const path = [...place.path, name];
  const value = valueAt(row, path);
  const shared = {
    label: isRequired ? `${name} *` : name,
    description: about,
    error: faults.get(pathText(path)),
    placeholder: words(valueAt(beneath, path)),
  };
  if (shape.is === 'list') {
    const chosen = Array.isArray(value) ? value.map((each) => shownValue(each)) : [];
    return (
      <TagsInput
        {...shared}
        placeholder={chosen.length === 0 ? shared.placeholder : ''}
        data={[...shape.words]}
        value={chosen}
        onChange={(words) => onChange(withValue(row, path, words.length === 0 ? undefined : words))}
      />
    );
  }
  if (shape.is !== 'scalar') return null;
  return <Scalar {...shared} shape={shape} value={value} onValue={(next) => onChange(withValue(row, path, next))} />;
}

const words = (value: unknown): string => (Array.isArray(value) ? value.map(shownValue).join(', ') : shownValue(value));

interface ScalarProps {
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly error?: ReactNode;
  readonly shape: Extract<Shape, { is: 'scalar' }>;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
}

/** What is being typed stays as it is typed, `1.` too, while it means what the row has. */
function Scalar({ shape, value, onValue, ...shared }: ScalarProps) {
  const [typed, setTyped] = useState(() => shownValue(value));
  const isSame = Object.is(typedValue(typed, shape), value);
  const field = {
    ...shared,
    spellCheck: false,
    value: isSame ? typed : shownValue(value),
    ...(shape.isNumber && { inputMode: 'decimal' as const }),
  };
  const change = (next: string): void => {
    setTyped(next);
    onValue(typedValue(next, shape));
  };
  if (shape.words.length > 0) return <Autocomplete {...field} data={[...shape.words]} onChange={change} />;
  return <TextInput {...field} onChange={({ currentTarget }) => change(currentTarget.value)} />;
}

function Large({ member, ...place }: MemberProps) {
  const { name, shape } = member;
  const path = [...place.path, name];
  const text = pathText(path);
  const value = valueAt(place.row, path);
  const isFaulty = [...place.faults.keys()].some((each) => each.startsWith(text));
  const isToSee = value !== undefined || member.isRequired || isFaulty;
  const [isOpen, setOpen] = useState(isToSee);
  // It may have been written as JSON since.
  useEffect(() => setOpen((before) => before || isToSee), [isToSee]);
  const error = place.faults.get(text);
  return (
    <details className="card" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{name}</b> {value === undefined && <span className="quiet small">{t('not set here')}</span>}
      </summary>
      <div className="stack">
        {member.about !== '' && <p className="quiet small">{member.about}</p>}
        {error !== undefined && (
          <p className="small field-fault" role="alert">
            {error}
          </p>
        )}
        {shape.is === 'object' && <Members {...place} members={shape.members} path={path} />}
        {shape.is === 'rows' && <Rows {...place} name={name} members={shape.members} path={path} />}
        {shape.is === 'map' && <Pairs {...place} path={path} />}
        {shape.is === 'json' && <p className="quiet small">{t('This member is edited as JSON.')}</p>}
      </div>
    </details>
  );
}

/** Offers, routes: each a box of fields. */
function Rows({ name, ...place }: PlaceProps & { readonly name: string }) {
  const { row, path, onChange } = place;
  const value = valueAt(row, path);
  const count = Array.isArray(value) ? value.length : 0;
  return (
    <>
      {Array.from({ length: count }, (_, at) => (
        <fieldset key={`${count} ${at}`} className="row-of">
          <legend className="small">{`${name}[${at}]`}</legend>
          <Members {...place} path={[...path, at]} beneath={null} />
          <Button
            size="xs"
            variant="default"
            aria-label={t('Remove {name}', { name: `${name}[${at}]` })}
            onClick={() => onChange(withValue(row, [...path, at], undefined))}
          >
            {t('Remove')}
          </Button>
        </fieldset>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          aria-label={t('Add to {name}', { name })}
          onClick={() => onChange(withValue(row, [...path, count], {}))}
        >
          {t('Add')}
        </Button>
      </div>
    </>
  );
}

const TEXT = { is: 'scalar', words: [], isNumber: false } as const;

/** Names and values that no schema lists: credentials, headers, quirks. */
function Pairs({ row, beneath, path, faults, onChange }: PlaceProps) {
  const [name, setName] = useState('');
  const kept = (valueAt(row, path) ?? {}) as Row;
  const under = (valueAt(beneath, path) ?? {}) as Row;
  const names = [...new Set([...Object.keys(under), ...Object.keys(kept)])];
  const add = (): void => {
    if (name.trim() === '') return;
    onChange(withValue(row, [...path, name.trim()], ''));
    setName('');
  };
  return (
    <>
      <div className="fields">
        {names.map((each) =>
          typeof kept[each] === 'object' && kept[each] !== null ? (
            <p key={each} className="quiet small">
              <code>{each}</code> {t('This member is edited as JSON.')}
            </p>
          ) : (
            <Scalar
              key={each}
              label={each}
              placeholder={shownValue(under[each])}
              error={faults.get(pathText([...path, each]))}
              shape={typeof kept[each] === 'number' ? { ...TEXT, isNumber: true } : TEXT}
              value={kept[each]}
              onValue={(value) => onChange(withValue(row, [...path, each], value))}
            />
          ),
        )}
      </div>
      <div className="row end">
        <TextInput
          className="grow"
          label={t('Name of a member')}
          spellCheck={false}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && add()}
        />
        <Button size="xs" variant="default" disabled={name.trim() === ''} onClick={add}>
          {t('Add')}
        </Button>
      </div>
    </>
  );
}
