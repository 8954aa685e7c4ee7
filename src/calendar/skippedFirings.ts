import { type ScheduleDescription } from '@temporalio/client';
import { type SkippedFirings } from '../contract';

export function skippedFirings({ info, raw }: ScheduleDescription): SkippedFirings {
  return {
    overlap: info.numActionsSkippedOverlap,
    catchup: info.numActionsMissedCatchupWindow,
    buffer: Number(raw.info?.bufferDropped ?? 0),
  };
}
