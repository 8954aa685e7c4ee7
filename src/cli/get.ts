import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { LARGEST_READ_BYTES } from '../api/exchange';
import { type Page, walkPages } from '../api/operations/lists';
import { addScopeFlags, type ScopeFlags, withApi } from './api';
import { EXIT } from './exit';
import { softNumber, listFlag } from './flags';
import { print, printJson, say } from './print';
import {
  assetLines,
  boardLines,
  jobLines,
  projectLines,
  runLines,
  taskLines,
  voiceLines,
  workspaceLines,
} from './readouts';
import { recordTable } from './table';
import { workspaceZone, zoneOf } from './schedule/zone';
import { io } from './io';

interface GetFlags extends ScopeFlags {
  json?: boolean;
}

interface Asking {
  api: Api;
  options: () => CallOptions;
  /** The workspace's zone; only asked for when something is shown to a person. */
  zone: () => Promise<string>;
}

export function addTo(program: Command): void {
  const get = program.command('get').description('read from the service');

  record(get, 'workspace', 'the current workspace', async ({ api, options }) => {
    const workspace = await api.getWorkspace({}, options());
    return { record: workspace, lines: workspaceLines(workspace, zoneOf(workspace)) };
  });
  record(get, 'project <type> <id>', 'a project', async ({ api, options, zone }, [resourcetype, id]) => {
    const { document } = await api.getProject({ resourcetype, id }, options());
    return { record: document, lines: projectLines(document, await zone()) };
  });
  record(get, 'voice <id>', 'a voice', async ({ api, options }, [voice_id]) => {
    const voice = await api.getVoice({ voice_id }, options());
    return { record: voice, lines: voiceLines(voice) };
  });
  record(get, 'task <id>', 'a task of a media tool', async ({ api, options }, [id]) => {
    // Whatever a run could not keep is read here, whole.
    const task = await api.getTask({ id }, { ...options(), largestBytes: LARGEST_READ_BYTES });
    return { record: task, lines: taskLines(task) };
  });
  record(get, 'transcription <id>', 'a transcription', async ({ api, options, zone }, [id]) => {
    const transcription = await api.getTranscription({ id }, options());
    return { record: transcription, lines: jobLines(transcription, await zone()) };
  });
  record(get, 'asset <id>', 'an asset (needs SEGUE_ASSET_PATH)', async ({ api, options, zone }, [id]) => {
    const asset = await api.getAsset({ id }, options());
    return { record: asset, lines: assetLines(asset, await zone()) };
  });
  record(
    get,
    'run <id>',
    "a workflow run of the service, by the run's ID (needs SEGUE_RUN_PATH)",
    async ({ api, options, zone }, [id]) => {
      const run = await api.getRun({ id }, options());
      return { record: run, lines: runLines(run, await zone()) };
    },
  );
  record(
    get,
    'video <id>',
    'a v2 video record (needs SEGUE_VIDEO_PATH)',
    async ({ api, options, zone }, [id]) => {
      const video = await api.getVideo({ id }, options());
      return { record: video, lines: jobLines(video, await zone()) };
    },
  );
  record(get, 'board <id>', 'a board, by UUID or slug', async ({ api, options, zone }, [board_id], flags) => {
    const board = await api.getBoard({ board_id, expand: flags.expand as never }, options());
    return { record: board, lines: boardLines(board, await zone()) };
  }).option('--expand <fields>', 'statuses, creator, modifier; with commas between', listFlag);

  addSubtitles(get);
  addLists(get);
}

/** A command that reads one record and shows it. */
function record(
  parent: Command,
  usage: string,
  about: string,
  read: (
    asking: Asking,
    ids: [string, string],
    flags: Record<string, unknown>,
  ) => Promise<{ record: unknown; lines: string[] }>,
): Command {
  const command = parent.command(usage).description(about).option('--json', 'print the record as JSON');
  return addScopeFlags(command).action(async (...given: unknown[]) => {
    const flags = command.opts<GetFlags>();
    const ids = given.filter((argument) => typeof argument === 'string') as [string, string];
    await ask(flags, async (asking) => {
      const { record: found, lines } = await read(asking, ids, { ...flags });
      if (flags.json) printJson(found);
      else lines.forEach(print);
    });
  });
}

async function ask(flags: GetFlags, work: (asking: Asking) => Promise<void>): Promise<void> {
  await withApi(flags, (api, options) => {
    const zone = (): Promise<string> => (flags.json ? Promise.resolve('UTC') : workspaceZone(api, options));
    return work({ api, options, zone });
  });
}

function addSubtitles(get: Command): void {
  const command = get
    .command('subtitles <id>')
    .description('download the subtitles of a transcription that is DONE')
    .option('--format <srt|vtt>', 'srt unless told otherwise')
    .option('--json', 'print one JSON object')
    .option('--out <file>', 'write them to this file');
  addScopeFlags(command).action(
    async (id: string, flags: GetFlags & { format?: 'srt' | 'vtt'; out?: string }) => {
      await withApi(flags, async (api, options) => {
        const subtitles = await api.getSubtitles({ id, requested_format: flags.format }, options());
        if (!subtitles.ready) {
          if (flags.json) printJson(subtitles);
          say(
            `The file is empty: transcription ${id} is not DONE yet. See \`segue get transcription ${id}\`.`,
          );
          io().exitCode = EXIT.failed;
        } else if (flags.out === undefined) {
          io().stdout.write(subtitles.text);
        } else {
          await writeFile(flags.out, subtitles.text);
          say(`wrote ${flags.out}`);
        }
      });
    },
  );
}

interface ListFlags extends GetFlags {
  all?: boolean;
  page?: number;
}

interface DraftsFlags {
  accounts: string[];
  search?: string;
  perPage?: number;
  tz?: string;
  orderBy?: string;
  order?: 'asc' | 'desc';
}

function addLists(get: Command): void {
  const drafts = get
    .command('drafts')
    .description('list draft social posts')
    .option('--accounts <ids>', 'account ids, with commas between', listFlag)
    .option('--search <text>', 'only drafts whose content matches')
    .option('--per-page <n>', 'drafts a page', softNumber)
    .option('--tz <zone>', 'time zone, by name')
    .option('--order-by <field>', 'field to sort by')
    .option('--order <asc|desc>', 'direction');
  list(drafts, ({ api, options }, page) => {
    const { accounts, search, perPage, tz, orderBy, order } = drafts.opts<DraftsFlags>();
    const request = { account_ids: accounts, search, per_page: perPage, tz, order_by: orderBy, order, page };
    return api.getDrafts(request, options());
  });

  const activity = get
    .command('activity <task>')
    .description('list what happened to a project-manager task')
    .option('--page-size <n>', 'entries a page', softNumber);
  list(activity, ({ api, options }, page, task) => {
    const { pageSize } = activity.opts<{ pageSize?: number }>();
    return api.getTaskActivity({ task_id: task, page_size: pageSize, page }, options());
  });
}

/** A command that reads one page of a list, or all of them. */
function list(
  command: Command,
  getPage: (asking: Asking, page: number | undefined, id: string) => Promise<Page>,
): void {
  command
    .option('--page <n>', 'page, from 1', softNumber)
    .option('--all', 'every page')
    .option('--json', 'print one JSON object a line');
  addScopeFlags(command).action(async (...given: unknown[]) => {
    const flags = command.opts<ListFlags>();
    const id = typeof given[0] === 'string' ? given[0] : '';
    await ask(flags, async (asking) => {
      const pages = flags.all
        ? walkPages((page) => getPage(asking, page, id), flags.page)
        : [(await getPage(asking, flags.page, id)).items];
      const shown: unknown[] = [];
      for await (const items of pages) {
        if (flags.json) items.forEach(printJson);
        else shown.push(...items);
      }
      if (flags.json) return;
      if (shown.length > 0) recordTable(shown, await asking.zone()).forEach(print);
      say(`${shown.length} found`);
    });
  });
}
