import { type Command } from 'commander';
import { print } from './lib/io';

export function addTo(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags: source <(segue completion)')
    .addHelpText(
      'after',
      '\nFor bash. In zsh first: autoload -U +X compinit bashcompinit && compinit && bashcompinit',
    )
    .action(async () => {
      const { segueCommand } = await import('./main.js');
      print(completionScript(await segueCommand()));
    });
}

function completionScript(program: Command): string {
  const commands = allCommands(program);
  return `_segue() {
  # No variable is named path or words: zsh uses these names itself.
  local called=segue word candidates=
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$called $word" in
${commands.map(({ name, spellings }) => `      '${spellings.join("'|'")}') called='${name}' ;;`).join('\n')}
    esac
  done
  case "$called" in
${commands.map(({ name, words }) => `    '${name}') candidates='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _segue segue`;
}

interface Completed {
  name: string;
  /** With its aliases. */
  spellings: string[];
  words: string[];
}

/** The full name of each command, and the subcommands and flags that may follow it. */
function allCommands(command: Command, before = ''): Completed[] {
  const name = `${before}${command.name()}`;
  const spellings = [name, ...command.aliases().map((alias) => `${before}${alias}`)];
  const flags = command.createHelp().visibleOptions(command);
  const words = [
    ...command.commands.map((sub) => sub.name()),
    ...flags.map(({ long, short }) => long ?? short ?? ''),
  ];
  return [{ name, spellings, words }, ...command.commands.flatMap((sub) => allCommands(sub, `${name} `))];
}
