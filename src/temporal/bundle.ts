/** Bundles the workflows once, so that a worker starts without a bundler. Run by `npm run build`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Where the build leaves the bundle that a deployed worker runs. */
export const WORKFLOW_BUNDLE = path.resolve(__dirname, '../workflow-bundle.js');

export async function writeWorkflowBundle(
  target: string,
  workflowsPath = require.resolve('../workflows'),
): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    // Loaded once and not by each run, which saves a third of the memory of a waiting run. Therefore workflow code keeps no
    // state in modules; eslint checks that.
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('WARN'),
  });
  await writeFile(target, code);
}

if (require.main === module) void writeWorkflowBundle(WORKFLOW_BUNDLE);
