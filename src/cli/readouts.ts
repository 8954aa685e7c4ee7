/** Records of the service in words, for people. */
import { isAssetDone, isJobOver, isRunOver, isTaskOver } from '../api/endings';
import { genderInWords, type Voice, type WorkspaceContext } from '../api/operations/workspace';
import { fieldLines, table } from './table';

type Fields = Record<string, unknown>;

export function workspaceLines({ user, workspace, teamspaces }: WorkspaceContext, zone: string): string[] {
  const words = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const person = user ? [user.first_name, user.last_name].map(words).filter(Boolean).join(' ') : '';
  const rows = [
    [
      'workspace',
      `${words(workspace?.name) || 'unnamed'} (${workspace?.id ?? 'no id'})${workspace?.is_active === false ? ', not active' : ''}`,
    ],
    ['user', `${person || 'unnamed'} (${user?.id ?? 'no id'})`],
    ['time zone', `${workspace?.settings?.timezone ?? 'not told'}; times are shown in ${zone}`],
    ['language', workspace?.settings?.language ?? 'not told'],
    ['week starts', workspace?.settings?.start_of_week ?? 'not told'],
    ...(teamspaces ?? []).map((space) => [
      'team space',
      `${space.name ?? 'unnamed'} (${space.id ?? 'no id'})`,
    ]),
  ];
  return table(rows);
}

export function voiceLines(voice: Voice): string[] {
  const yesOrNo = (value: boolean | null | undefined): string =>
    value === true ? 'yes' : value === false ? 'no' : 'not told';
  return table([
    ['id', voice.id],
    ['name', voice.voice_name ?? ''],
    ['gender', genderInWords(voice.gender)],
    ['premium', yesOrNo(voice.is_premium)],
    ['takes instructions', yesOrNo(voice.supports_instructions)],
    ['description', voice.description ?? ''],
  ]);
}

export function taskLines({ status, info }: { status: string; info?: unknown }): string[] {
  const lines = [`${status} (${isTaskOver(status) ? 'over' : 'still running'})`];
  return info === null || info === undefined ? lines : [...lines, JSON.stringify(info, null, 2)];
}

/** A transcription or a video: `job_status` alone tells. */
export function jobLines(job: { job_status: string } & Fields, zone: string): string[] {
  const over = isJobOver(job.job_status);
  return [`${job.job_status} (${over ? 'over' : 'still running'})`, ...fieldLines(job, zone)];
}

export function assetLines(asset: { status: number } & Fields, zone: string): string[] {
  const known = [2, 3].includes(asset.status)
    ? ': processing, or a thumbnail that failed'
    : '; what it means is not published';
  return [
    `${asset.status} (${isAssetDone(asset.status) ? 'done' : `not done${known}`})`,
    ...fieldLines(asset, zone),
  ];
}

export function runLines(run: { status: string } & Fields, zone: string): string[] {
  return [`${run.status} (${isRunOver(run.status) ? 'over' : 'not over'})`, ...fieldLines(run, zone)];
}

export function boardLines(board: Fields, zone: string): string[] {
  return fieldLines(board, zone);
}

export function projectLines(document: unknown, zone: string): string[] {
  const isRecord = document !== null && typeof document === 'object' && !Array.isArray(document);
  return isRecord ? fieldLines(document as Fields, zone) : [JSON.stringify(document, null, 2)];
}
