/** A model's way to accounts as a tree: strategy, members with their conditions, offers, fallbacks. */
import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { faultOf } from '../api/fault.ts';
import { t, type Text } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { Tag } from '../ui/parts.tsx';
import { AccountState } from './account-parts.tsx';
import { conditionLines, routeRowOf, type FallbackCause, type Offer } from './route-row.ts';

type Account = Schemas['Account'];
type Candidate = Schemas['RouteCandidate'];

export interface RouteTreeProps {
  readonly model: string;
  readonly accounts: readonly Account[];
  /** Whom the request that was described would go to; in order. */
  readonly candidates: readonly Candidate[];
}

/** Routes lead to rows with routes of their own so deep. */
const DEEPEST = 8;

const CAUSES: Readonly<Record<FallbackCause, Text>> = {
  on_error: 'When all of them fail',
  on_context_too_long: 'When the input is too long',
  on_content_refusal: 'When the content is refused',
};

export function RouteTree({ model, ...others }: RouteTreeProps) {
  return (
    <section className="card" aria-label={t('The tree of {model}', { model })}>
      <h2>
        {t('Where it leads')} <code>{model}</code>
      </h2>
      <ul className="tree">
        <ModelNode model={model} above={[]} {...others} />
      </ul>
    </section>
  );
}

interface NodeProps extends RouteTreeProps {
  /** The models that led here. */
  readonly above: readonly string[];
  readonly about?: ReactNode;
}

function ModelNode({ model, above, about, ...others }: NodeProps) {
  const isAgain = above.includes(model) || above.length >= DEEPEST;
  const entry = useQuery({
    queryKey: ['configuration-entry', model],
    queryFn: () =>
      ask(api.GET('/admin/config/entries/{section}/{name}', { params: { path: { section: 'models', name: model } } })),
    enabled: !isAgain,
  });
  const head = (
    <div className="node">
      <b className="mono">{model}</b> {about}
    </div>
  );
  if (isAgain)
    return (
      <li>
        {head} <span className="small quiet">{t('as above')}</span>
      </li>
    );
  if (entry.isError)
    return (
      <li>
        {head} <Tag tone="warn">{faultOf(entry.error).message}</Tag>
      </li>
    );
  if (entry.data === undefined)
    return (
      <li>
        {head} <Loader size="xs" aria-label={t('Loading')} />
      </li>
    );
  return (
    <li>
      {head}
      <Branches {...others} model={model} above={[...above, model]} value={entry.data.value} />
    </li>
  );
}

function Branches({ value, ...node }: NodeProps & { readonly value: Schemas['ConfigEntry']['value'] }) {
  const { strategy, routes, fallbacks, offers } = routeRowOf(value);
  return (
    <ul>
      {routes.length > 0 && (
        <Branch name={t('Members')} about={<Tag tone="plain">{strategy}</Tag>}>
          {routes.map((member, at) => (
            <ModelNode
              key={at}
              {...node}
              model={member.model}
              about={<Terms of={member} lines={conditionLines(member.when)} />}
            />
          ))}
        </Branch>
      )}
      {offers.length > 0 && (
        <Branch
          name={routes.length > 0 ? t('Offers, when no member fits') : t('Offers')}
          about={offers.length > 1 && <Tag tone="plain">{strategy}</Tag>}
        >
          <OfferNodes offers={offers} {...node} />
        </Branch>
      )}
      {fallbacks.map(({ cause, models }) => (
        <Branch key={cause} name={t(CAUSES[cause])}>
          {models.map((model) => (
            <ModelNode key={model} {...node} model={model} candidates={cause === 'on_error' ? node.candidates : []} />
          ))}
        </Branch>
      ))}
    </ul>
  );
}

function Branch({ name, about, children }: { name: string; about?: ReactNode; children: ReactNode }) {
  return (
    <li>
      <div className="node small">
        <span className="quiet">{name}</span> {about}
      </div>
      <ul>{children}</ul>
    </li>
  );
}

/** The accounts that offer a model; with those that stand in for them in test mode, which no row names. */
function OfferNodes({ offers, model, accounts, candidates }: NodeProps & { readonly offers: readonly Offer[] }) {
  const named = new Set(offers.map(({ account }) => account));
  const others = candidates.filter((each) => each.model === model && !named.has(each.account));
  const all: readonly Offer[] = [...offers, ...others.map(({ account }) => ({ account }))];
  return all.map((offer, at) => {
    const place = candidates.findIndex((each) => each.model === model && each.account === offer.account);
    const candidate = candidates[place];
    const account = accounts.find(({ name }) => name === offer.account);
    return (
      <li key={at}>
        <div className="node">
          {candidate !== undefined && (
            <span className="place" title={t('Asked as number {place}', { place: place + 1 })}>
              {place + 1}
            </span>
          )}
          <PageLink to="/accounts">{offer.account}</PageLink>
          {offer.model !== undefined && offer.model !== model && <code>{offer.model}</code>}
          <Terms of={offer} lines={[]} />
          {account === undefined ? <Tag tone="bad">{t('no such account')}</Tag> : <AccountState account={account} />}
          {account?.twin === true && <Tag tone="plain">{t('twin')}</Tag>}
          {candidate !== undefined && candidate.expected_ms !== null && (
            <span className="small quiet">≈ {formatDuration(candidate.expected_ms)}</span>
          )}
        </div>
      </li>
    );
  });
}

function Terms({ of, lines }: { of: { priority?: number; weight?: number }; lines: readonly string[] }) {
  return (
    <>
      {of.priority !== undefined && <Tag>{t('priority {value}', { value: of.priority })}</Tag>}{' '}
      {of.weight !== undefined && <Tag>{t('weight {value}', { value: of.weight })}</Tag>}{' '}
      {lines.map((line) => (
        <Tag key={line} tone="accent">
          {line}
        </Tag>
      ))}
    </>
  );
}
