import { type Command } from 'commander';
import { once } from 'node:events';
import { loadLocalTemporalConfig } from '../../config';
import { forDevelopment } from './development';
import { portFlag, requireFreePorts } from './ports';
import { env, print, say } from '../lib/io';
import { untilAskedToStop } from './signals';

interface StartFlags {
  port: number;
  uiPort: number;
  db?: string;
}

const load = () => forDevelopment('temporal', () => import('../../temporal/find.js'));

export function addTo(program: Command): void {
  const temporal = program
    .command('temporal')
    .description('the Temporal server that development and tests use');
  temporal
    .command('path')
    .description('print the path of its binary, getting it first')
    .action(async () => {
      const { findTemporalBinary } = await load();
      const binary = await findTemporalBinary(loadLocalTemporalConfig(env()), say);
      print(binary.path);
    });
  temporal
    .command('start')
    .description('run it until Ctrl-C')
    .option('--port <port>', 'port of the server', portFlag, 7233)
    .option('--ui-port <port>', 'port of its UI', portFlag, 8233)
    .option('--db <file>', 'keep its state in this file (default: in memory)')
    .action(async ({ port, uiPort, db }: StartFlags) => {
      await requireFreePorts([
        { flag: '--port', port },
        { flag: '--ui-port', port: uiPort },
      ]);
      const { findTemporalBinary } = await load();
      const { FAIRNESS_SETTING, startDevServer } = await import('../../temporal/devServer.js');
      const binary = await findTemporalBinary(loadLocalTemporalConfig(env()), say);
      const stopped = untilAskedToStop(() => undefined);
      const server = await startDevServer(binary.path, {
        port: port || undefined,
        uiPort: uiPort || undefined,
        db,
        dynamicConfig: { [FAIRNESS_SETTING]: true },
      });
      print(`ready ${server.address}${server.uiUrl ? ` UI ${server.uiUrl}` : ''}`);
      await Promise.race([stopped, once(server.process, 'exit')]);
      await server.stop();
    });
}
