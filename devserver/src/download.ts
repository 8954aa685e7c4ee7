import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { EnvHttpProxyAgent, request } from 'undici';

export interface ProxySettings {
  https?: string;
  /** Hosts that are reached directly, in the form of NO_PROXY. */
  none?: string;
}

const DOWNLOAD_SITE = 'https://temporal.download/';

/** Whether the site answers. Without a network this takes seconds; the timeouts of a download take minutes. */
export async function answers(site: string, proxy: ProxySettings, timeoutMs = 3_000): Promise<boolean> {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: proxy.https ?? '',
    noProxy: proxy.none ?? '',
  });
  try {
    const response = await request(site, {
      method: 'HEAD',
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body.dump();
    return true;
  } catch {
    return false;
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Has the SDK download a dev server of this version, or the time-skipping server, into `target`. Undefined when it is
 * there; else why it is not. The SDK downloads only on the way to starting a server, so one is started and stopped.
 */
export async function downloadWithSdk(
  server: { version: string } | 'time-skipping',
  target: string,
  proxy: ProxySettings,
): Promise<string | undefined> {
  if (!(await answers(DOWNLOAD_SITE, proxy))) return `${DOWNLOAD_SITE} does not answer`;
  await mkdir(path.dirname(target), { recursive: true });
  const downloadDir = await mkdtemp(`${target}.download-`);
  try {
    const download = { type: 'cached-download', downloadDir } as const;
    const environment =
      server === 'time-skipping'
        ? await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: download } })
        : await TestWorkflowEnvironment.createLocal({
            server: { executable: { ...download, version: `v${server.version}` } },
          });
    await environment.teardown();
    const [binary, ...others] = (await readdir(downloadDir)).filter((name) => name.startsWith('temporal'));
    if (!binary || others.length > 0) return 'the SDK left no binary in its download folder';
    await chmod(path.join(downloadDir, binary), 0o755);
    await rename(path.join(downloadDir, binary), target);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(downloadDir, { recursive: true, force: true });
  }
}
