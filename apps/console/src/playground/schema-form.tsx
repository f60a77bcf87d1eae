/** A form of fields that were read from the document. */
import { Autocomplete, NumberInput, Select } from '@mantine/core';
import { t } from '../text/text.ts';
import type { Field, FieldValues } from './schema-fields.ts';

export function SchemaForm({
  fields,
  values,
  onChange,
}: {
  fields: readonly Field[];
  values: FieldValues;
  onChange: (values: FieldValues) => void;
}) {
  const set = (name: string, value: string | number | boolean | undefined): void => {
    const { [name]: _old, ...rest } = values;
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="stack">
      {fields.map((field) => {
        const name = field.path.join('.');
        const shared = { key: name, label: field.path.at(-1), description: firstSentence(field.about) };
        const value = values[name];
        if (field.type === 'boolean')
          return (
            <Select
              {...shared}
              key={name}
              placeholder={t('Model default')}
              clearable
              clearButtonProps={{ 'aria-label': t('Clear') }}
              data={[
                { value: 'true', label: t('Yes') },
                { value: 'false', label: t('No') },
              ]}
              value={value === undefined ? null : String(value)}
              onChange={(chosen) => set(name, chosen === null ? undefined : chosen === 'true')}
            />
          );
        if (field.isFixed)
          return (
            <Select
              {...shared}
              key={name}
              placeholder={t('Model default')}
              clearable
              clearButtonProps={{ 'aria-label': t('Clear') }}
              data={[...field.words]}
              value={value === undefined ? null : String(value)}
              onChange={(chosen) => set(name, chosen ?? undefined)}
            />
          );
        if (field.type === 'text')
          return (
            <Autocomplete
              {...shared}
              key={name}
              data={[...field.words]}
              value={value === undefined ? '' : String(value)}
              onChange={(typed) => set(name, typed)}
            />
          );
        return (
          <NumberInput
            {...shared}
            key={name}
            hideControls
            placeholder={rangeOf(field) ?? t('Model default')}
            {...(field.least !== undefined && { min: field.least })}
            {...(field.most !== undefined && { max: field.most })}
            clampBehavior="none"
            error={isOutside(field, value) ? rangeOf(field) : undefined}
            allowDecimal={field.type === 'number'}
            value={typeof value === 'number' ? value : ''}
            onChange={(typed) => set(name, typeof typed === 'number' ? typed : undefined)}
          />
        );
      })}
    </div>
  );
}

function rangeOf({ least, most }: Field): string | undefined {
  if (least === undefined || most === undefined) return undefined;
  return t('{least} to {most}', { least, most });
}

/** What was typed stays as it was typed; that the model does not take it stands at the field. */
function isOutside({ least, most }: Field, value: string | number | boolean | undefined): boolean {
  return typeof value === 'number' && ((least !== undefined && value < least) || (most !== undefined && value > most));
}

function firstSentence(about: string): string {
  return about.replaceAll('`', '').split(/\.\s/)[0]?.slice(0, 160) ?? '';
}
