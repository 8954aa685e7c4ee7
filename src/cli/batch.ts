import { type Command } from 'commander';
import { type BatchCheckFlags, checkBatch } from './batchCheck';

const EXAMPLES = `
Examples:
  segue batch check products.ndjson
  segue batch check https://example.com/tonight.ndjson --skip-bad --json

A line of MANIFEST is one job, as JSON:
  {"key":"mug-7","tool":"remove-background","request":{"image_url":"https://example.com/mug-7.png"}}`;

export function addTo(program: Command): void {
  const batch = program
    .command('batch')
    .description('run batches: one manifest, one job a line')
    .addHelpText('after', EXAMPLES);

  batch
    .command('check <manifest>')
    .description('find everything that is wrong with a manifest; a file, - for stdin, or an https address')
    .option('--skip-bad', 'leave bad lines out: exit 0 when at least one is good')
    .option('--json', 'print one JSON object, with the first 100 bad lines')
    .addHelpText('after', '\nExit: 0 it can be run · 2 something is wrong · 4 the address cannot be read.')
    .action(async (manifest: string, flags: BatchCheckFlags) => {
      process.exitCode = await checkBatch(manifest, flags);
    });
}
