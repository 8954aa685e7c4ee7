/** Sandboxes and workers as processes of their own, to be killed. */
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { newWorkspace } from '../service/sandbox';
import { SegueProcess, type Settings } from './segueProcess';

/** Called at the top of a test file; nothing that it started outlives a test, or tests that run side by side. */
export function useProcesses(temporalAddress: () => string) {
  const processes: SegueProcess[] = [];
  const endAll = async (): Promise<void> => {
    await Promise.all(processes.splice(0).map((process) => process.end('SIGKILL')));
  };
  afterEach(endAll);
  // Tests that run side by side have no end of their own.
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
