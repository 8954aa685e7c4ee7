import { writeFile } from 'node:fs/promises';
import { type Client } from '@temporalio/client';
import { type Command } from 'commander';
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { keyIn, mediaWorkflowId } from '../../contract/ids';
import { loadProxySettings } from '../../config';
import { withSegue } from '../lib/connect';
import { type PictureOptions } from './pictures';
import { env, io, reasonOf, say, UsageError } from '../lib/io';

interface ReportFlags {
  out?: string;
  pictures: boolean;
}

const ABOUT = `
ID is the workflow id of a job (media/KEY, transcript/KEY, record/KIND~ID), a campaign (campaign/KEY) or a batch (batch/KEY); a key alone names a media job.
The page needs no network and has no credential. Anybody who gets it sees the pictures and texts of the job.`;

export function addTo(program: Command): void {
  program
    .command('report <id>')
    .description('make one HTML page about a job, a campaign or a batch, to look at or to pass on')
    .option('--out <file>', 'write it to this file (default: print it)')
    .option('--no-pictures', 'download no pictures')
    .addHelpText('after', ABOUT)
    .action(writeReport);
}

async function writeReport(id: string, { out, pictures }: ReportFlags): Promise<void> {
  const workflowId = id.includes('/') ? id : mediaWorkflowId(id);
  const proxy = loadProxySettings(env());
  const html = await withSegue(async (segue, { temporal }) =>
    reportPage(temporal, await runOf(segue, workflowId), { pictures, proxy }),
  );
  if (out === undefined) {
    // A pipe takes a large page in parts, and the process ends after this.
    await new Promise<unknown>((resolve) => io().stdout.write(html, resolve));
    return;
  }
  await writeFile(out, html).catch((error: unknown) => {
    throw new UsageError(`--out: ${out} cannot be written: ${reasonOf(error)}`);
  });
  say(`wrote ${out}`);
}

export async function reportPage(temporal: Client, run: Run, options: PictureOptions): Promise<string> {
  const [{ readReport }, { page }] = await Promise.all([import('./read.js'), import('./page.js')]);
  return page(await readReport(temporal, run, options));
}

function runOf(segue: SegueClient, workflowId: string): Promise<Run> {
  if (workflowId.startsWith('campaign/')) return segue.campaign.get(keyIn(workflowId));
  if (workflowId.startsWith('batch/')) return segue.batch.get(keyIn(workflowId));
  return segue.job(workflowId);
}
