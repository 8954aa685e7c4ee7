/** `segue batch retry`: the failed items of a batch once more, as a batch of their own. */
import { type BatchRepeat } from '../../client/batches';
import { NO_JOB } from '../../client/report';
import { loadStarterConfig } from '../../config';
import { batchTaskQueue } from '../../contract/ids';
import { requireBatchKey } from './key';
import { leftLines } from './format';
import { word } from '../lib/commandLine';
import { type Connected, withTemporal } from '../lib/connect';
import { EXIT, type ExitCode } from '../lib/exit';
import { printJson, say } from '../lib/print';
import { sayThatItExists, sayWhenNobodyPolls, tellStarted } from '../lib/start';
import { env } from '../lib/io';

export function retryBatch(text: string, flags: { json?: boolean }): Promise<ExitCode> {
  const key = requireBatchKey(text);
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const repeat = await connected.segue(config).batch.again(key);
    for (const line of leftLines(key, repeat.left)) say(line);
    return tellRepeat(key, repeat, connected, flags);
  });
}

async function tellRepeat(
  key: string,
  { batch, items: repeated, left }: BatchRepeat,
  connected: Connected,
  { json }: { json?: boolean },
): Promise<ExitCode> {
  if (!batch) {
    if (json) printJson({ ...NO_JOB, status: 'succeeded', error: null, repeated, left });
    say(`Nothing failed in the batch ${key} itself, so nothing is run again.`);
    return EXIT.done;
  }
  if (batch.existing) {
    const again = `What fails there is run again by: segue batch retry ${word(batch.key)}`;
    await sayThatItExists(batch, () => `Nothing is submitted again. ${again}`);
  } else say(`${repeated} failed ${repeated === 1 ? 'item is' : 'items are'} run again`);
  await sayWhenNobodyPolls(connected, batch.taskQueue, batchTaskQueue(batch.taskQueue));
  if (!json) return tellStarted(batch, connected, {});
  printJson({ ...(batch.existing ? await batch.report() : batch.started()), repeated, left });
  return EXIT.done;
}
