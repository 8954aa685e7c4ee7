/** The commands in the documents: lines of shell examples, and inline code that begins with a program. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { segueCommand } from '../../src/cli/main';

const ROOT = path.resolve(__dirname, '../..');

/** Paths of all documents, from the root. */
export const DOCUMENTS = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `docs/${file}`),
];

export interface DocumentedCommand {
  document: string;
  /** As it is printed. */
  text: string;
  program: string;
  /** `media run remove-background --key my-first`, in words. */
  words: string[];
  /** The file that its output goes to. */
  output?: string;
}

const CODE = /```(\w*)\n(.*?)```|`([^`\n]+)`/gs;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const INLINE = /^(segue$|\.\/bin\/segue$|(segue|\.\/bin\/segue|npm|npx|node|docker|temporal|curl|source) )/;

/** Every command of a document, in its order, without comments. */
export function documentedCommands(document: string): DocumentedCommand[] {
  return [...readFileSync(path.join(ROOT, document), 'utf8').matchAll(CODE)]
    .flatMap(([, language, block = '', inline]) => {
      if (inline !== undefined) return INLINE.test(inline) ? [inline] : [];
      return language === 'sh' ? linesOf(block) : [];
    })
    .map((text) => {
      const [line = '', output] = text.split(' > ');
      const [program = '', ...words] = wordsOf(line);
      return { document, text, program: program === './bin/segue' ? 'segue' : program, words, output };
    });
}

function linesOf(block: string): string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split(/\n|&&/)
    .map((line) => line.replace(/\s#.*$/, '').trim())
    .filter((line) => line !== '');
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}

/** `segue batch retry` only names a command, because it lacks the key. With any more words it is a whole command. */
export async function isName({ words }: DocumentedCommand): Promise<boolean> {
  let command: Command | undefined = await segueCommand(words[0]);
  for (const word of words) command = command?.commands.find((child) => child.name() === word);
  return command !== undefined && (command.commands.length > 0 || takesArguments(command));
}

function takesArguments({ registeredArguments }: Command): boolean {
  return registeredArguments.some(({ required }) => required);
}

/** Words in capitals are placeholders: `KEY`, `TASK_ID`, and `K` and `N` in `media/K~iN`. */
const PLACEHOLDER = /[A-Z][A-Z_]*(?![A-Za-z_])/g;

export function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0;
}

/** Capitals without a value stay as they are. */
export function fillIn(word: string, values: Record<string, string>): string {
  return word.replace(PLACEHOLDER, (name) => values[name] ?? name);
}
