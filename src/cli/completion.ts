import { type Command } from 'commander';
import { print } from './lib/io';

export function addTo(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags: source <(segue completion)')
    .addHelpText('after', '\nFor bash. In zsh first: autoload -U +X bashcompinit && bashcompinit')
    .action(async () => {
      const { segueCommand } = await import('./main.js');
      print(completionScript(await segueCommand()));
    });
}

interface Completed {
  /** The words of the command, without its arguments. */
  path: string;
  words: string[];
}

function completionScript(program: Command): string {
  const commands = allCommands(program);
  return `_segue() {
  local path=segue word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${commands
  .slice(1)
  .map(({ path }) => `      '${path}') path="$path $word" ;;`)
  .join('\n')}
    esac
  done
  local words=
  case "$path" in
${commands.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _segue segue`;
}

function allCommands(command: Command, before = ''): Completed[] {
  const path = `${before}${command.name()}`;
  const flags = command.createHelp().visibleOptions(command);
  const words = [
    ...command.commands.map((sub) => sub.name()),
    ...flags.map(({ long, short }) => long ?? short ?? ''),
  ];
  return [{ path, words }, ...command.commands.flatMap((sub) => allCommands(sub, `${path} `))];
}
