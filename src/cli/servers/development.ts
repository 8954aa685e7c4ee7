import { UnreachableError } from '../lib/exit';

/** Loads what a development command runs; says which package is missing where only the worker's packages are installed. */
export async function forDevelopment<T>(command: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [, name] = /^Cannot find (?:module|package) '([@\w][^']*)'/.exec((error as Error).message) ?? [];
    if (name === undefined) throw error;
    throw new UnreachableError(
      `segue ${command} needs the package ${name}, which this installation does not have`,
    );
  }
}
