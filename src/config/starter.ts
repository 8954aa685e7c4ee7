import { DEFAULT_POLL, DEFAULT_SUBMIT, type PollSettings, type SubmitSettings } from '../contract/settings';
import { type Settings } from './settings';

/** What a starter needs: it puts these settings into the workflow's input, since workflows have no environment. */
export interface StarterConfig {
  taskQueue: string;
  poll: PollSettings;
  submit: SubmitSettings;
  /** The workspace whose projects are changed, where a change names none. */
  organization?: string;
}

export function readStarter(settings: Settings): StarterConfig {
  const poll: PollSettings = {
    min: settings.duration('SEGUE_POLL_MIN', DEFAULT_POLL.min, '50ms'),
    max: settings.duration('SEGUE_POLL_MAX', DEFAULT_POLL.max, '50ms'),
    deadline: settings.duration('SEGUE_POLL_DEADLINE', DEFAULT_POLL.deadline, '1s'),
    giveUp: settings.duration('SEGUE_GIVE_UP', DEFAULT_POLL.giveUp, '1s'),
  };
  settings.requireOrder(['SEGUE_POLL_MIN', poll.min], ['SEGUE_POLL_MAX', poll.max]);
  settings.requireOrder(['SEGUE_POLL_DEADLINE', poll.deadline], ['SEGUE_GIVE_UP', poll.giveUp]);
  return {
    taskQueue: settings.text('SEGUE_TASK_QUEUE') ?? 'segue',
    poll,
    submit: {
      timeout: settings.duration('SEGUE_SUBMIT_TIMEOUT', DEFAULT_SUBMIT.timeout, '1s'),
      authGrace: settings.duration('SEGUE_AUTH_GRACE', DEFAULT_SUBMIT.authGrace, '0s'),
    },
    organization: settings.headerValue('SEGUE_ORGANIZATION'),
  };
}
