/** One difference between the catalogue and a vendor's list, and what to put into the configuration to take it over. */
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { FaultError } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { Act } from '../ui/act.tsx';
import { CodeBlock, Facts } from '../ui/parts.tsx';
import { ENTRY_QUERIES } from './entry-queries.ts';
import { commandOf, yamlOf } from './proposed-row.ts';

type Change = Schemas['ModelChange'];
type Members = Readonly<Record<string, unknown>>;

/** `input 0.5, output 2`; members of members follow their names. */
export function membersWords(members: Members | null): string {
  return Object.entries(members ?? {})
    .map(([name, value]) =>
      typeof value === 'object' && value !== null ? membersWords(value as Members) : `${name} ${String(value)}`,
    )
    .filter((words) => words !== '')
    .join(', ');
}

export function ChangeDetail({ of, onTaken }: { of: Change; onTaken: () => void }) {
  const { account, model, code, before, after } = of;
  return (
    <>
      <Facts
        of={{
          [t('Account')]: account,
          [t('Vendor’s name')]: <code>{model}</code>,
          [t('Model of the catalogue')]: code === null ? undefined : <code>{code}</code>,
          [t('In the catalogue')]: membersWords(before),
          [t('At the vendor')]: membersWords(after),
        }}
      />
      <Advice of={of} onTaken={onTaken} />
    </>
  );
}

function Advice({ of, onTaken }: { of: Change; onTaken: () => void }) {
  const { change, proposal } = of;
  if (change === 'gone')
    return (
      <p>
        {t(
          'The account does not list it any more: requests for it may fail. Take the offer out of the model’s row, or the whole row.',
        )}
      </p>
    );
  if (change === 'deprecated')
    return (
      <p>{t('The vendor advises against the model. Tell callers with deprecated in its row, which takes a day.')}</p>
    );
  if (proposal === null) return undefined;
  const isNew = change === 'new';
  const hasNoPrice = isNew && proposal.value['price'] === undefined;
  return (
    <>
      {hasNoPrice && <p>{t('The vendor’s list has no price: add one before you offer the model.')}</p>}
      <Snippets
        row={proposal}
        about={
          change === 'retiring'
            ? t('Tell callers with the row: answers get headers with the day.')
            : t('To take it over, put this into the configuration.')
        }
      />
      {!hasNoPrice && <TakeOver row={proposal} isNew={isNew} onTaken={onTaken} />}
    </>
  );
}

type Row = Pick<Schemas['ModelProposal'], 'name' | 'value'>;

function Snippets({ row: { name, value }, about }: { row: Row; about: string }) {
  return (
    <>
      <h3>{t('In the configuration')}</h3>
      <p>
        {about} {t('If your file has a row of this model, add the members to that row.')}
      </p>
      <CodeBlock text={yamlOf(name, value)} label={t('In the file, below models:')} />
      <p className="quiet small">{t('Where the configuration is kept in the database:')}</p>
      <CodeBlock text={commandOf(name, value)} label={t('As a command')} />
    </>
  );
}

/** Puts the row into the database, over what it keeps of it, where the configuration is kept there. */
function TakeOver({ row: { name, value }, isNew, onTaken }: { row: Row; isNew: boolean; onTaken: () => void }) {
  const config = useQuery({ queryKey: ['configuration'], queryFn: () => ask(api.GET('/admin/config')) });
  if (config.data?.kept_in !== 'database') return undefined;
  const put = async (): Promise<void> => {
    const path = { section: 'models', name } as const;
    const { kept, version } = await entryOf(path);
    const params = { path, query: { version } };
    await ask(api.PUT('/admin/config/entries/{section}/{name}', { params, body: { value: { ...kept, ...value } } }));
    onTaken();
  };
  return (
    <div>
      <Act
        name={t('Take it over')}
        question={
          isNew
            ? t('The model {name} is added at the price of the vendor’s list. The page Configuration can undo it.', {
                name,
              })
            : t('The row of {name} is changed in the configuration. The page Configuration can undo it.', { name })
        }
        done={t('Saved')}
        changes={ENTRY_QUERIES}
        run={put}
      />
    </div>
  );
}

async function entryOf(path: { readonly section: 'models'; readonly name: string }) {
  try {
    return await ask(api.GET('/admin/config/entries/{section}/{name}', { params: { path } }));
  } catch (error) {
    if (error instanceof FaultError && error.fault.status === 404) return { kept: null, version: 0 };
    throw error;
  }
}
