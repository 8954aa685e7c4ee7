/** Thrown for a file that cannot be used, with everything that is wrong with it. Nothing of it was taken. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';

  constructor(file: string, problems: string[]) {
    super([`${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}
