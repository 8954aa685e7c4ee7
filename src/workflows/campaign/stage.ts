/** Where a campaign is, for lists, for its page and for whoever wants to hear of it. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type CampaignStage } from '../../contract';
import { attributesOfJob, searchAttributes } from '../../contract/searchAttributes';
import { tellProgress } from './notices';
import { type Campaign } from './run';
import { save, saveRefused } from './saving';
import { detailsOf } from './words';

/** More says nothing: a campaign that is changed again and again goes to and fro. */
const MOST_STAGES_SHOWN = 50;

/** Whoever started it has given its list entry along; where another language did not, it is made here. */
export function showStart(run: Campaign): void {
  const { input, progress } = run;
  const listed = workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
  const write = { project: input.project, at: run.at };
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ ...input, tool: 'campaign', write }, progress.stage));
  showDetails(run);
}

export function enterStage(run: Campaign, stage: CampaignStage): void {
  const { progress } = run;
  if (progress.stage === stage) return;
  progress.stage = stage;
  progress.since = new Date().toISOString();
  progress.history.push({ stage, at: progress.since });
  if (progress.history.length > MOST_STAGES_SHOWN) progress.history.shift();
  upsertSearchAttributes([{ key: searchAttributes.stage, value: stage }]);
  saveRefused(run);
  noteChange(run);
  tellProgress(run);
}

/** Something that people see has changed. */
export function noteChange(run: Campaign): void {
  showDetails(run);
  save(run, 'lifecycle');
}

function showDetails(run: Campaign): void {
  setCurrentDetails(detailsOf(run));
}
