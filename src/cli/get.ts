import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { LARGEST_READ_BYTES } from '../api/exchange';
import { type Page, walkPages } from '../api/operations/lists';
import { isRecord } from '../validation/inputs';
import { withApi } from './lib/connect';
import { addScopeFlags, listFlag, type ScopeFlags, softNumber } from './lib/flags';
import { fieldLines, recordTable } from './lib/format';
import { EXIT, io, print, printJson, say } from './lib/io';

interface GetFlags extends ScopeFlags {
  json?: boolean;
  expand?: string[];
}

type Read = (api: Api, options: CallOptions, ids: [string, string], flags: GetFlags) => Promise<unknown>;

/** Usage, description, operation. */
const RECORDS: [string, string, Read][] = [
  ['workspace', 'the current workspace', (api, options) => api.getWorkspace({}, options)],
  [
    'project <type> <id>',
    'a project',
    async (api, options, [resourcetype, id]) =>
      (await api.getProject({ resourcetype, id }, options)).document,
  ],
  ['voice <id>', 'a voice', (api, options, [voice_id]) => api.getVoice({ voice_id }, options)],
  [
    'task <id>',
    'a task of a media tool',
    // A result that is too large for a run is read here as a whole.
    (api, options, [id]) => api.getTask({ id }, { ...options, largestBytes: LARGEST_READ_BYTES }),
  ],
  ['transcription <id>', 'a transcription', (api, options, [id]) => api.getTranscription({ id }, options)],
  ['asset <id>', 'an asset (needs SEGUE_ASSET_PATH)', (api, options, [id]) => api.getAsset({ id }, options)],
  [
    'run <id>',
    "a workflow run of the service, by the run's ID (needs SEGUE_RUN_PATH)",
    (api, options, [id]) => api.getRun({ id }, options),
  ],
  [
    'video <id>',
    'a v2 video record (needs SEGUE_VIDEO_PATH)',
    (api, options, [id]) => api.getVideo({ id }, options),
  ],
  [
    'board <id>',
    'a board, by UUID or slug',
    (api, options, [board_id], { expand }) => api.getBoard({ board_id, expand: expand as never }, options),
  ],
];

export function addTo(program: Command): void {
  const get = program.command('get').description('read from the service');
  for (const [usage, about, read] of RECORDS) {
    const command = get.command(usage).description(about).option('--json', 'print the record as JSON');
    if (usage.startsWith('board '))
      command.option('--expand <fields>', 'statuses, creator, modifier; with commas between', listFlag);
    addScopeFlags(command).action(async () => {
      const flags = command.opts<GetFlags>();
      const ids = command.args as [string, string];
      const record = await withApi(flags, (api, options) => read(api, options(), ids, flags));
      if (flags.json) printJson(record);
      else if (isRecord(record)) fieldLines(record).forEach(print);
      else print(JSON.stringify(record, null, 2));
    });
  }
  addSubtitles(get);
  addLists(get);
}

function addSubtitles(get: Command): void {
  const command = get
    .command('subtitles <id>')
    .description('download the subtitles of a transcription that is DONE')
    .option('--format <srt|vtt>', 'default: srt')
    .option('--json', 'print one JSON object')
    .option('--out <file>', 'write them to this file');
  type Flags = GetFlags & { format?: 'srt' | 'vtt'; out?: string };
  addScopeFlags(command).action(async (id: string, flags: Flags) => {
    const subtitles = await withApi(flags, (api, options) =>
      api.getSubtitles({ id, requested_format: flags.format }, options()),
    );
    if (!subtitles.ready) {
      if (flags.json) printJson(subtitles);
      say(`The file is empty: transcription ${id} is not DONE yet. See \`segue get transcription ${id}\`.`);
      io().exitCode = EXIT.failed;
    } else if (flags.out === undefined) {
      io().stdout.write(subtitles.text);
    } else {
      await writeFile(flags.out, subtitles.text);
      say(`wrote ${flags.out}`);
    }
  });
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
  list(activity, (api, options, page) => {
    const { pageSize } = activity.opts<{ pageSize?: number }>();
    return api.getTaskActivity({ task_id: activity.args[0] ?? '', page_size: pageSize, page }, options);
  });
}

/** A command that reads one page of a list, or all of them. */
function list(
  command: Command,
  getPage: (api: Api, options: CallOptions, page: number | undefined) => Promise<Page>,
): void {
  command
    .option('--page <n>', 'page, from 1', softNumber)
    .option('--all', 'every page')
    .option('--json', 'print one JSON object a line');
  addScopeFlags(command).action(async () => {
    const { all, page: first, json, ...scope } = command.opts<GetFlags & { all?: boolean; page?: number }>();
    const shown: unknown[] = [];
    await withApi(scope, async (api, options) => {
      const pages = all
        ? walkPages((page) => getPage(api, options(), page), first)
        : [(await getPage(api, options(), first)).items];
      for await (const items of pages) {
        if (json) items.forEach(printJson);
        else shown.push(...items);
      }
    });
    if (json) return;
    if (shown.length > 0) recordTable(shown).forEach(print);
    say(`${shown.length} found`);
  });
}
