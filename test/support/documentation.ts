/** The commands in the documents' shell examples. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

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
  /** `media run remove-background --key my-first`, in words. */
  words: string[];
}

const SHELL_BLOCK = /```sh\n(.*?)```/gs;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/** Every line of an example that runs the program, without comments and redirections. */
export function documentedCommands(program: RegExp): DocumentedCommand[] {
  return DOCUMENTS.flatMap((document) =>
    [...readFileSync(path.join(ROOT, document), 'utf8').matchAll(SHELL_BLOCK)]
      .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split(/\n|&&/))
      .map((line) =>
        line
          .replace(/\s#.*$/, '')
          .replace(/\s>\s.*$/, '')
          .trim(),
      )
      .filter((line) => program.test(line))
      .map((line) => ({ document, words: wordsOf(line.replace(program, '')) })),
  );
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}
