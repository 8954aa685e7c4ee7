import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isId } from '../../api/scope';
import { isObject } from '../../contract/changes';
import { DEFAULT_SUBMIT, FAILURE, type ProjectWriterInput } from '../../contract';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { projectWriterId } from '../../contract/ids';
import { problemsOfCarried } from '../steps/start';

/** Ends a writer that was started wrongly, above all under an id that lets a second one write to its project. */
export function checkWriterInput(input: ProjectWriterInput): number {
  const problems = [...problemsOfShape(input), ...problemsOfCarried(isObject(input) ? input : {})];
  const grace = parseDuration(isObject(input) ? (input.authGrace ?? DEFAULT_SUBMIT.authGrace) : '');
  if (grace === undefined) problems.push(`authGrace: must be ${DURATION_FORM}`);
  if (problems.length > 0 || grace === undefined)
    throw ApplicationFailure.nonRetryable(
      `The writer was not started: ${problems.join('; ')}`,
      FAILURE.badInput,
    );

  const id = projectWriterId(input.organization, input.project);
  const { workflowId } = workflowInfo();
  if (workflowId === id) return grace;
  throw ApplicationFailure.nonRetryable(
    `The writer was not started: its workflow id is ${workflowId}, but its project gives ${id}`,
    FAILURE.unsafeStart,
  );
}

/** Other languages start this workflow too, with whatever JSON they have. */
function problemsOfShape(input: unknown): string[] {
  const { organization, project } = isObject(input) ? input : {};
  const { resourcetype, id } = isObject(project) ? project : {};
  const ids = { organization, 'project.resourcetype': resourcetype, 'project.id': id };
  return Object.entries(ids).flatMap(([name, value]) =>
    typeof value === 'string' && isId(value) ? [] : [`${name}: must be an id`],
  );
}
