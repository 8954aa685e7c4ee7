import { type Operation } from '../operation';
import { getTaskActivity } from './activity';
import { getBoard } from './boards';
import { listDrafts } from './drafts';
import { notify } from './notify';
import { getProject, updateProject } from './projects';
import { recordOperations } from './records';
import { getTask } from './tasks';
import { submitOperations } from './tools';
import { downloadSubtitles, getTranscription } from './transcriptions';
import { getVoice } from './voices';
import { getWorkspace } from './workspaces';

export const operations: Operation[] = [
  ...submitOperations,
  getTask,
  getTranscription,
  downloadSubtitles,
  getWorkspace,
  getProject,
  updateProject,
  listDrafts,
  getTaskActivity,
  getBoard,
  getVoice,
  notify,
  ...recordOperations,
];
