import { type Operator } from '../contract';
import { type Settings } from './settings';

/** Whom alarms go to: `USER@WORKSPACE`. A user may be an address with an @ of its own. */
export function readOperator(settings: Settings): Operator | undefined {
  const text = settings.text('SEGUE_OPERATOR');
  if (text === undefined) return undefined;
  const [, userId = '', workspaceId = ''] = /^(\S+)@([^\s@]+)$/.exec(text) ?? [];
  if (!userId) settings.problem(`SEGUE_OPERATOR: "${text}" is not USER@WORKSPACE, like u-1@42`);
  return { userId, workspaceId };
}
