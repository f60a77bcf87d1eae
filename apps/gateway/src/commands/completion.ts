/** `gateway completion bash|zsh|fish`: what a shell completes, written from the tree of commands itself. */
import { Argument, type Command, type Option } from 'commander';
import { pathOf } from './command-fault.ts';
import type { Terminal } from './terminal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Adds `gateway completion`. It knows the commands that were added before it, and itself. */
export function addCompletionCommand(program: Command, { out }: Terminal): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...SHELLS]))
    .addHelpText(
      'after',
      `
bash: eval "$(gateway completion bash)"     in ~/.bashrc
zsh:  source <(gateway completion zsh)      in ~/.zshrc, after compinit
fish: gateway completion fish | source      in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => out(completionFor(shell, program)));
}

/** The script for one shell. */
export function completionFor(shell: Shell, program: Command): string {
  const places = placesOf(program);
  switch (shell) {
    case 'bash':
      return bash(places);
    case 'zsh':
      return zsh(places);
    case 'fish':
      return fish(places);
  }
}

interface Word {
  readonly word: string;
  readonly about: string;
}
/** An option that takes a value, and the values where there is a list of them. */
interface Valued {
  readonly word: string;
  readonly values: readonly string[];
}
/** What may come behind a command. */
interface Place {
  /** `gateway keys create` */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Its arguments, where there is a list of them. */
  readonly values: readonly string[];
  readonly options: readonly Word[];
  readonly valued: readonly Valued[];
}

function placesOf(command: Command): readonly Place[] {
  const options = [...command.options, ...command.createHelp().visibleOptions(command)];
  const place = {
    path: pathOf(command),
    commands: command.commands.map((each) => ({ word: each.name(), about: each.description() })),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    options: unique(options.flatMap((option) => wordsOf(option).map((word) => ({ word, about: option.description })))),
    valued: unique(
      options
        .filter(({ required, optional }) => required || optional)
        .flatMap((option) => wordsOf(option).map((word) => ({ word, values: option.argChoices ?? [] }))),
    ),
  };
  return [place, ...command.commands.flatMap(placesOf)];
}

function wordsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((word) => word !== undefined);
}

function unique<Item extends { readonly word: string }>(items: readonly Item[]): readonly Item[] {
  return items.filter(({ word }, index) => items.findIndex((each) => each.word === word) === index);
}

/** `'gateway keys'|'gateway keys list'`: every place below the first. */
function below(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join('|');
}

function wordsAt({ commands, values, options }: Place): readonly string[] {
  return [...commands.map(({ word }) => word), ...values, ...options.map(({ word }) => word)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The cases of options that take a value: with a list of values, or with files. */
function valueCases(places: readonly Place[], close: (values: readonly string[]) => string): readonly string[] {
  return places.flatMap(({ path, valued }) =>
    valued.map(({ word, values }) => `    ${quoted(`${path} ${word}`)}) ${close(values)} ;;`),
  );
}

function bash(places: readonly Place[]): string {
  return `# Completes gateway in bash. In ~/.bashrc: eval "$(gateway completion bash)"
_gateway() {
  local at=gateway here="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" found='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${below(places)}) at="$at $word" ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${valueCases(places, (values) =>
  values.length === 0 ? 'return' : `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$here")); return`,
).join('\n')}
  esac
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) found=${quoted(wordsAt(place).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$here"))
}
complete -o default -F _gateway gateway`;
}

/** Options are offered when a dash was typed, as zsh's own functions do. */
function zsh(places: readonly Place[]): string {
  const described = (words: readonly Word[]): string =>
    words.map(({ word, about }) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)).join(' ');
  return `#compdef gateway
# Completes gateway in zsh. In ~/.zshrc, after compinit: source <(gateway completion zsh)
_gateway() {
  local at=gateway word
  local -a found options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${below(places)}) at="$at $word" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${valueCases(places, (values) => (values.length === 0 ? '_files; return' : `compadd -- ${values.join(' ')}; return`))
  .map((line) => line.replace("    '", "    ('"))
  .join('\n')}
  esac
  case "$at" in
${places
  .map(
    ({ path, commands, values, options }) =>
      `    (${quoted(path)}) found=(${described([...commands, ...values.map((word) => ({ word, about: '' }))])}) options=(${described(options)}) ;;`,
  )
  .join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then _describe option options
  elif (( $#found )); then _describe command found
  else _files
  fi
}
(( $+functions[compdef] )) && compdef _gateway gateway`;
}

function fish(places: readonly Place[]): string {
  const at = (path: string): string => `-n 'test "$(__gateway_at)" = "${path}"'`;
  return `# Completes gateway in fish. In ~/.config/fish/config.fish: gateway completion fish | source
function __gateway_at
  set -l at gateway
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ path }) => quoted(path))
        .join(' ')}
        set at "$at $word"
    end
  end
  echo $at
end
${places
  .flatMap(({ path, commands, values, options, valued }) => [
    ...commands.map(({ word, about }) => `complete -c gateway -f ${at(path)} -a ${word} -d ${quoted(about)}`),
    ...(values.length === 0 ? [] : [`complete -c gateway -f ${at(path)} -a ${quoted(values.join(' '))}`]),
    ...options.map(({ word, about }) => {
      const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
      const taken = valued.find((each) => each.word === word);
      const value =
        taken === undefined ? '' : taken.values.length === 0 ? ' -r' : ` -x -a ${quoted(taken.values.join(' '))}`;
      return `complete -c gateway ${at(path)} ${name}${value} -d ${quoted(about)}`;
    }),
  ])
  .join('\n')}`;
}
