/** Thrown for a file that cannot be used, with all its problems. Nothing of the file was used. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';

  constructor(file: string, problems: string[]) {
    super([`${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}
