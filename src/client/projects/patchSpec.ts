/** What is asked for with a change of a project. */
import { problemsOfScope } from '../../api/scope';
import { problemsOfAddress, problemsOfChange } from '../../contract/changes';
import { type ProjectChange, type ProjectRef, type Scope } from '../../contract';
import { problemsOfProject } from '../../validation/inputs';

export interface PatchOptions {
  /** What makes it the same change: asked for again, it is not applied again. A new one when left out. */
  changeId?: string;
  scope?: Scope;
  /** Stops waiting. A change that was taken is made all the same. */
  signal?: AbortSignal;
}

/** Everything that is wrong with a patch, but for a workspace that nobody named. */
export function problemsOfPatch(
  project: ProjectRef,
  change: ProjectChange,
  { changeId, scope }: PatchOptions,
): string[] {
  return [
    ...problemsOfProject(project),
    ...problemsOfScope(scope),
    ...(changeId === undefined ? [] : problemsOfAddress({ changeId })),
    ...problemsOfChange(change),
  ];
}
