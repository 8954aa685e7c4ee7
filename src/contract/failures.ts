/** Types of the failures that a run or an Update can end with. */
export const FAILURE = {
  taskFailed: 'TaskFailed',
  recordFailed: 'RecordFailed',
  missing: 'Missing',
  refused: 'Refused',
  givenUp: 'GivenUp',
  campaignFailed: 'CampaignFailed',
  abandoned: 'Abandoned',
  badDecision: 'BadDecision',
  badInput: 'BadInput',
  unreachable: 'Unreachable',
  unsafeStart: 'UnsafeStart',
  badChange: 'BadChange',
} as const;

/** The credential (401) or one workspace (403) is denied. Keys get rotated. */
export function isAccessDenied(status: number | null | undefined): boolean {
  return status === 401 || status === 403;
}
