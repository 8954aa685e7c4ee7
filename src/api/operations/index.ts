/** Every operation that may be repeated. The two that must not be, submit and notify, are in client.ts. */
import { getDrafts, getTaskActivity } from './lists';
import { getProject, updateProject } from './projects';
import { getAsset, getRun, getTask, getTranscription, getVideo, getSubtitles } from './records';
import { getBoard, getVoice, getWorkspace } from './workspace';

export const operations = {
  getTask,
  getTranscription,
  getSubtitles,
  getAsset,
  getRun,
  getVideo,
  getWorkspace,
  getProject,
  updateProject,
  getDrafts,
  getTaskActivity,
  getBoard,
  getVoice,
};

export type Operations = typeof operations;
