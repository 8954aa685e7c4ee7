import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { LARGEST_READ_BYTES } from '../api/exchange';
import { type Page, walkPages } from '../api/operations/lists';
import { withApi } from './lib/connect';
import { addScopeFlags, listFlag, type ScopeFlags, softNumber } from './lib/flags';
import { EXIT, io, print, printJson, say } from './lib/io';

interface GetFlags extends ScopeFlags {
  json?: boolean;
  expand?: string[];
}

/** Usage, description, the operation, and what it calls the arguments. */
const RECORDS: [string, string, keyof Api, ...string[]][] = [
  ['workspace', 'the current workspace', 'getWorkspace'],
  ['project <type> <id>', 'a project', 'getProject', 'resourcetype', 'id'],
  ['voice <id>', 'a voice', 'getVoice', 'voice_id'],
  ['task <id>', 'a task of a media tool', 'getTask', 'id'],
  ['transcription <id>', 'a transcription', 'getTranscription', 'id'],
  ['asset <id>', 'an asset (needs SEGUE_ASSET_PATH)', 'getAsset', 'id'],
  ['run <id>', "a workflow run of the service, by the run's ID (needs SEGUE_RUN_PATH)", 'getRun', 'id'],
  ['video <id>', 'a v2 video record (needs SEGUE_VIDEO_PATH)', 'getVideo', 'id'],
  ['board <id>', 'a board, by UUID or slug', 'getBoard', 'board_id'],
];

export function addTo(program: Command): void {
  const get = program.command('get').description('read from the service');
  for (const [usage, about, operation, ...names] of RECORDS) {
    const command = get.command(usage).description(about).option('--json', 'print the record as JSON');
    if (operation === 'getBoard')
      command.option('--expand <fields>', 'statuses, creator, modifier; separated by commas', listFlag);
    addScopeFlags(command).action(async () => {
      const { json, expand, ...scope } = command.opts<GetFlags>();
      const ids = names.map((name, index) => [name, command.args[index]] as const);
      const found = await withApi(scope, (api, options) => {
        const read = api[operation] as (request: object, options: CallOptions) => Promise<unknown>;
        // A result that is too large for a run is read here as a whole.
        const whole = { ...options(), largestBytes: LARGEST_READ_BYTES };
        return read({ ...Object.fromEntries(ids), ...(expand && { expand }) }, whole);
      });
      const record = operation === 'getProject' ? (found as { document: unknown }).document : found;
      printRecord(record, json);
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
    .option('--accounts <ids>', 'account ids, separated by commas', listFlag)
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
    let shown = 0;
    await withApi(scope, async (api, options) => {
      const pages = all
        ? walkPages((page) => getPage(api, options(), page), first)
        : [(await getPage(api, options(), first)).items];
      for await (const items of pages) {
        for (const item of items) printRecord(item, json);
        shown += items.length;
      }
    });
    if (!json) say(`${shown} found`);
  });
}

/** The shape of these records is not published. */
function printRecord(record: unknown, json = false): void {
  if (json) printJson(record);
  else print(JSON.stringify(record, null, 2));
}
