/** The way of a model's requests, as a tree for people. */
import {
  conditionWords,
  FALLBACK_CAUSES,
  rowNamed,
  type Catalogue,
  type FallbackCause,
  type ModelRow,
  type Offer,
  type Route,
  type RouteTarget,
} from '@model-gateway/core';

interface Node {
  readonly text: string;
  readonly below: readonly Node[];
}

const CAUSES: Readonly<Record<FallbackCause, string>> = {
  on_error: 'when nobody could answer',
  on_context_too_long: 'when the input is too long',
  on_content_refusal: 'when the content is refused',
};

/** What the row leads to: its routes with their conditions, its offers, its fallbacks. */
export function routeTree(catalogue: Catalogue, row: ModelRow): string {
  const { text, below } = nodeOf(catalogue, row, '', false);
  return [text, ...branches(below, '')].join('\n');
}

/** Routes never lead back to themselves: the configuration is refused then. Fallbacks of fallbacks are not followed. */
function nodeOf(catalogue: Catalogue, row: ModelRow, said: string, isFallback: boolean): Node {
  const { targets = [], fallbacks = {} } = row.route ?? {};
  const below = (code: string, words: string, falls: boolean): readonly Node[] => {
    const next = rowNamed(catalogue, code);
    return next === undefined ? [] : [nodeOf(catalogue, next, words, falls)];
  };
  const offers = row.offers.map((offer): Node => ({ text: offerWords(offer), below: [] }));
  const isOpen = targets.some(({ when }) => when === undefined);
  const inOrder = targets.toSorted((left, right) => left.priority - right.priority);
  return {
    text: [row.code, ...(row.route === undefined ? [] : [`(${settingWords(row.route)})`]), said]
      .filter((part) => part !== '')
      .join(' '),
    below: [
      ...inOrder.flatMap((target) => below(target.model, targetWords(target, targets), isFallback)),
      ...(targets.length === 0
        ? offers
        : isOpen
          ? []
          : offers.map((node) => ({ ...node, text: `${node.text}, when no route fits` }))),
      ...(isFallback ? [] : FALLBACK_CAUSES).flatMap((cause) =>
        (fallbacks[cause] ?? []).flatMap((code) => below(code, `— ${CAUSES[cause]}`, true)),
      ),
    ],
  };
}

/** How its choices are put in order, and what else is set. */
function settingWords({ strategy, affinity, hedge, continuesBroken }: Route): string {
  return [
    strategy,
    ...(affinity === undefined ? [] : [`affinity by ${affinity}`]),
    ...(continuesBroken === true ? ['continues broken streams'] : []),
    ...(hedge === undefined ? [] : [`hedged after p${100 * hedge.quantile}`]),
  ].join(', ');
}

function targetWords({ when, priority, weight }: RouteTarget, all: readonly RouteTarget[]): string {
  const others = all.some((each) => each.when !== undefined) ? '— otherwise' : '';
  const place = all.length === 1 ? '' : `[priority ${priority}, weight ${weight}]`;
  return [when === undefined ? others : `— when ${conditionWords(when)}`, place]
    .filter((part) => part !== '')
    .join(' ');
}

function offerWords({ account, model, priority, weight }: Offer): string {
  return `account ${account.name}: ${model} [priority ${priority}, weight ${weight}]${account.on ? '' : ', off'}`;
}

function branches(nodes: readonly Node[], indent: string): readonly string[] {
  return nodes.flatMap(({ text, below }, index) => {
    const isLast = index === nodes.length - 1;
    return [`${indent}${isLast ? '└─' : '├─'} ${text}`, ...branches(below, `${indent}${isLast ? '   ' : '│  '}`)];
  });
}
