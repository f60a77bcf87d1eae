/** What the playground knows of a kind that can be tried. Each has a file of its own in `kinds`; nothing else names it. */
import { lazy, type ComponentType } from 'react';
import type { SdkCalls } from './code.ts';
import type { Model } from './models.ts';

type Page = ComponentType<{ models: readonly Model[] }>;

export interface PlaygroundKind {
  /** In the address. */
  readonly name: string;
  /** Kind of model in the catalogue that it tries. */
  readonly modelKind: string;
  /** Among the others, from the left. */
  readonly order: number;
  readonly label: { readonly en: string; readonly zh: string };
  /** What the choice of its model is kept under, and whether it is one of several. */
  readonly draft: string;
  readonly hasManyModels?: boolean;
  readonly calls: SdkCalls;
  readonly load: () => Promise<{ default: Page }>;
}

const modules = import.meta.glob<{ kind: PlaygroundKind }>('./kinds/*.ts', { eager: true });

/** All of them, each with its page, which is loaded when it is first shown. */
export const PLAYGROUND_KINDS = Object.values(modules)
  .map(({ kind }) => ({ ...kind, Page: lazy(kind.load) }))
  .toSorted((one, other) => one.order - other.order);

/** Where models of a kind of the catalogue are tried. */
export const placeOf = (modelKind: string | null): PlaygroundKind | undefined =>
  PLAYGROUND_KINDS.find((kind) => kind.modelKind === modelKind);

/** What of the address leads to it. */
export const searchOf = ({ name, order }: PlaygroundKind): { kind?: string } => (order === 0 ? {} : { kind: name });

/** What to keep as the choice of its models. */
export const choiceOf = ({ hasManyModels = false }: PlaygroundKind, model: string): string | readonly string[] =>
  hasManyModels ? [model] : model;
