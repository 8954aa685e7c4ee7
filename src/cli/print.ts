/** Results go to stdout, everything said on the way to stderr. */

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
