/** What a person can do next, as commands to copy: in the command line, on the pages of runs, in notifications. */
import { type StoppedItems } from './batches';
import { type DecisionAction, type HoldState } from './holds';
import { type Scope } from '../api/scope';
import { type ProjectRef } from './targets';

export interface Advice {
  when: string;
  command: string;
}

/** The commands that decide a hold, and when each is right. */
export function decisionAdvice(
  workflowId: string,
  { actions, resubmitAfter }: Pick<HoldState, 'actions' | 'resubmitAfter'>,
): Advice[] {
  const decide = `segue resolve ${shellArgument(workflowId)}`;
  const isEarly = resubmitAfter !== null && Date.parse(resubmitAfter) > Date.now();
  const all: Record<DecisionAction, Advice> = {
    adopt: { when: 'the service has it', command: `${decide} --adopt TASK_ID --reason "found it"` },
    resubmit: {
      when: `the service does not have it${isEarly ? ` (from ${resubmitAfter} on)` : ''}`,
      command: `${decide} --resubmit --reason "not there"`,
    },
    abandon: { when: 'nobody needs it', command: `${decide} --abandon --reason "not needed"` },
  };
  return actions.map((action) => all[action]);
}

/** The commands that decide about the results of a campaign. */
export function approvalAdvice(key: string, round: number, by = 'NAME'): Advice[] {
  const which = `${shellArgument(key)} --round ${round} --by ${shellArgument(by)}`;
  return [
    { when: 'it is good as it is', command: `segue campaign approve ${which}` },
    {
      when: 'jobs are to be made again',
      command: `segue campaign change ${which} --jobs NAME,NAME --comment "what is to be different"`,
    },
    { when: 'it is to stop here', command: `segue campaign reject ${which} --comment "why"` },
  ];
}

/** As a list in Markdown. */
export function adviceList(advice: Advice[]): string {
  return advice.map(({ when, command }) => `- If ${when}: \`${command}\``).join('\n');
}

/** Why a project does not have a result, and how to write it again, in Markdown. */
export function adviceOnUnsaved(workflowId: string, error: string): string {
  return `${error}. The result is kept. To write it again, without paying again: \`segue retry ${shellArgument(workflowId)}\`.`;
}

/** Shows what a project's changes wait for. */
export function projectStatusCommand({ resourcetype, id }: ProjectRef, scope: Scope | undefined): string {
  const organization = scope?.organization ? ['--organization', scope.organization] : [];
  return `segue project status ${[resourcetype, id, ...organization].map(shellArgument).join(' ')}`;
}

/** What a person can do about the items of stopped partitions, in Markdown. */
export function adviceOnStopped(key: string, { unfollowed, undone }: StoppedItems): string[] {
  const results = `segue batch results ${shellArgument(key)}`;
  return [
    unfollowed + undone === 0 &&
      `Its items were over. Results that were not written yet are \`unsaved\` in \`${results}\`, and \`segue batch retry ${shellArgument(key)}\` writes them again. Notifications that were still missing will not be sent.`,
    unfollowed > 0 &&
      `At the service, and no longer polled: ${unfollowed}. Their tasks: \`${results} --status running\`. A manifest of their lines, each with its \`taskId\`, started with another key follows them and submits nothing. A line without a \`taskId\` may have been accepted: look for it at the service first.`,
    undone > 0 &&
      `Not done: ${undone}, those that are \`waiting\` or \`cancelled\` in \`${results}\`. \`segue batch retry ${shellArgument(key)}\` does those that are \`cancelled\`; do not also start them with another key. Those that are \`waiting\`: a manifest of their lines, started with another key, does them.`,
  ].filter((text) => text !== false);
}

/** A text as one argument of a shell command. */
export function shellArgument(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
