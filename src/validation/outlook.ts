/** What is wrong with what an outlook is asked for, whoever asks. Part of the workflow bundle. */
import { isInnerPointer } from '../api/json';
import { isIdText, isWellFormed, validateScope } from '../api/scope';
import { MOST_OUTLOOK_WEEKS } from '../contract';
import { researchFields } from './campaign/fields';
import { object, problemText } from './campaign/shape';
import { isLeftOut, isRecord, isText, validateTargets } from './inputs';

export function validateOutlookInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, scope, project, at, drafts, activity, boards, weeks, notify, ...others } = input;
  const { silentAfter: _duration, ...unknown } = others;
  const isCount = typeof weeks === 'number' && Number.isInteger(weeks);
  return [
    ...Object.keys(unknown).map((name) => `${name}: is no part of an outlook`),
    ...(isText(key) ? [] : ['key: must be a text']),
    ...validateScope(scope),
    ...(isRecord(project) && isIdText(project.resourcetype) && isIdText(project.id)
      ? []
      : ['project: must be { resourcetype, id }']),
    ...(isLeftOut(at) || (isInnerPointer(at) && isWellFormed(at))
      ? []
      : ['at: must be a JSON pointer, like /campaign']),
    ...object(researchFields)({ drafts, activity, boards }, []).map(problemText),
    ...([drafts, activity, boards].every(isLeftOut)
      ? ['the input: has nothing to look at; give drafts, activity or boards']
      : []),
    ...(isLeftOut(weeks) || (isCount && weeks >= 1 && weeks <= MOST_OUTLOOK_WEEKS)
      ? []
      : [`weeks: must be a whole number from 1 to ${MOST_OUTLOOK_WEEKS}`]),
    ...validateTargets({ notify }),
  ];
}
