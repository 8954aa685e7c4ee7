/** A Temporal dev server of a test, with Segue's search attributes. */
import { type DevServer, type DevServerOptions, startDevServer as start } from '@segue/devserver';
import { allSearchAttributes } from '../../../src/contract/searchAttributes';

export function startDevServer(binary: string, options: DevServerOptions = {}): Promise<DevServer> {
  return start(binary, { searchAttributes: allSearchAttributes, ...options });
}
