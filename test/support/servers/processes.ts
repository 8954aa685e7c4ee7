/** Sandboxes and workers as separate processes, which tests can kill. */
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { newWorkspace } from '../service/sandbox';
import { SegueProcess, type Settings } from './segueProcess';

const TYPESCRIPT = require.resolve('../typescript.js');

/** Called at the top of a test file; every process is stopped after its test, or after concurrent tests. */
export function useProcesses(temporalAddress: () => string) {
  const processes: SegueProcess[] = [];
  const endAll = async (): Promise<void> => {
    await Promise.all(processes.splice(0).map((process) => process.end('SIGKILL')));
  };
  afterEach(endAll);
  // jest runs no `afterEach` after each concurrent test.
  afterAll(endAll);

  const start = (args: string[], settings: Settings = {}): SegueProcess => {
    const process = new SegueProcess(args, settings);
    processes.push(process);
    return process;
  };

  return {
    start,

    /** Gives its address. */
    async sandbox(...flags: string[]): Promise<string> {
      const workspace = String(newWorkspace());
      const args = ['sandbox', '--port', '0', '--workspace', workspace, ...flags];
      const [, url] = await start(args).line(/^ready (\S+)$/);
      return url ?? '';
    },

    /** A script in TypeScript. */
    script(file: string, settings: Settings = {}): SegueProcess {
      const process = new SegueProcess(['-r', TYPESCRIPT, file], settings, undefined, 'node');
      processes.push(process);
      return process;
    },

    /** A worker that polls. */
    async worker(taskQueue: string, apiUrl: string, settings: Settings = {}): Promise<SegueProcess> {
      const worker = start(['worker'], {
        TEMPORAL_ADDRESS: temporalAddress(),
        SEGUE_TASK_QUEUE: taskQueue,
        SEGUE_API_URL: apiUrl,
        SEGUE_API_KEY: SANDBOX_KEY,
        ...settings,
      });
      await worker.line(/ready/);
      return worker;
    },
  };
}
