import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { LARGEST_READ_BYTES } from '../api/exchange';
import { type Page, walkPages } from '../api/operations/lists';
import { isZone } from '../calendar/zones';
import { isRecord } from '../validation/inputs';
import { withApi } from './lib/connect';
import { EXIT, reasonOf } from './lib/exit';
import { addScopeFlags, listFlag, type ScopeFlags, softNumber } from './lib/flags';
import { fieldLines, recordTable } from './lib/format';
import { io, print, printJson, say } from './lib/io';

interface GetFlags extends ScopeFlags {
  json?: boolean;
}

type Read = (
  api: Api,
  options: CallOptions,
  ids: [string, string],
  flags: { expand?: string[] },
) => Promise<unknown>;

/** The records that can be read, by usage. */
const RECORDS: Record<string, { about: string; read: Read }> = {
  workspace: { about: 'the current workspace', read: (api, options) => api.getWorkspace({}, options) },
  'project <type> <id>': {
    about: 'a project',
    read: async (api, options, [resourcetype, id]) =>
      (await api.getProject({ resourcetype, id }, options)).document,
  },
  'voice <id>': {
    about: 'a voice',
    read: (api, options, [voice_id]) => api.getVoice({ voice_id }, options),
  },
  'task <id>': {
    about: 'a task of a media tool',
    // Whatever a run could not keep is read here, whole.
    read: (api, options, [id]) => api.getTask({ id }, { ...options, largestBytes: LARGEST_READ_BYTES }),
  },
  'transcription <id>': {
    about: 'a transcription',
    read: (api, options, [id]) => api.getTranscription({ id }, options),
  },
  'asset <id>': {
    about: 'an asset (needs SEGUE_ASSET_PATH)',
    read: (api, options, [id]) => api.getAsset({ id }, options),
  },
  'run <id>': {
    about: "a workflow run of the service, by the run's ID (needs SEGUE_RUN_PATH)",
    read: (api, options, [id]) => api.getRun({ id }, options),
  },
  'video <id>': {
    about: 'a v2 video record (needs SEGUE_VIDEO_PATH)',
    read: (api, options, [id]) => api.getVideo({ id }, options),
  },
  'board <id>': {
    about: 'a board, by UUID or slug',
    read: (api, options, [board_id], { expand }) =>
      api.getBoard({ board_id, expand: expand as never }, options),
  },
};

export function addTo(program: Command): void {
  const get = program.command('get').description('read from the service');
  for (const [usage, { about, read }] of Object.entries(RECORDS)) {
    const command = get.command(usage).description(about).option('--json', 'print the record as JSON');
    if (usage.startsWith('board'))
      command.option('--expand <fields>', 'statuses, creator, modifier; with commas between', listFlag);
    addScopeFlags(command).action(async (...given: unknown[]) => {
      const flags = command.opts<GetFlags & { expand?: string[] }>();
      const ids = given.filter((argument) => typeof argument === 'string') as [string, string];
      await withApi(flags, async (api, options) => {
        const record = await read(api, options(), ids, flags);
        if (flags.json) printJson(record);
        else if (isRecord(record)) fieldLines(record, await workspaceZone(api, options)).forEach(print);
        else print(JSON.stringify(record, null, 2));
      });
    });
  }
  addSubtitles(get);
  addLists(get);
}

/** The zone that times are shown in: the workspace's, or UTC where it cannot be read or has none. */
async function workspaceZone(api: Api, options: () => CallOptions): Promise<string> {
  try {
    const zone = (await api.getWorkspace({}, options())).workspace?.settings?.timezone;
    return zone && isZone(zone) ? zone : 'UTC';
  } catch (error) {
    say(`times are in UTC, not in the workspace's zone: ${reasonOf(error)}`);
    return 'UTC';
  }
}

function addSubtitles(get: Command): void {
  const command = get
    .command('subtitles <id>')
    .description('download the subtitles of a transcription that is DONE')
    .option('--format <srt|vtt>', 'default: srt')
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
  list(drafts, (api, options, page) => {
    const { accounts, search, perPage, tz, orderBy, order } = drafts.opts<DraftsFlags>();
    const request = { account_ids: accounts, search, per_page: perPage, tz, order_by: orderBy, order, page };
    return api.getDrafts(request, options);
  });

  const activity = get
    .command('activity <task>')
    .description('list what happened to a project-manager task')
    .option('--page-size <n>', 'entries a page', softNumber);
  list(activity, (api, options, page, task) => {
    const { pageSize } = activity.opts<{ pageSize?: number }>();
    return api.getTaskActivity({ task_id: task, page_size: pageSize, page }, options);
  });
}

/** A command that reads one page of a list, or all of them. */
function list(
  command: Command,
  getPage: (api: Api, options: CallOptions, page: number | undefined, id: string) => Promise<Page>,
): void {
  command
    .option('--page <n>', 'page, from 1', softNumber)
    .option('--all', 'every page')
    .option('--json', 'print one JSON object a line');
  addScopeFlags(command).action(async (...given: unknown[]) => {
    const flags = command.opts<ListFlags>();
    const id = typeof given[0] === 'string' ? given[0] : '';
    await withApi(flags, async (api, options) => {
      const pages = flags.all
        ? walkPages((page) => getPage(api, options(), page, id), flags.page)
        : [(await getPage(api, options(), flags.page, id)).items];
      const shown: unknown[] = [];
      for await (const items of pages) {
        if (flags.json) items.forEach(printJson);
        else shown.push(...items);
      }
      if (flags.json) return;
      if (shown.length > 0) recordTable(shown, await workspaceZone(api, options)).forEach(print);
      say(`${shown.length} found`);
    });
  });
}
