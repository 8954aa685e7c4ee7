/** The activities of a Segue worker, by task queue. */
import { log } from '@temporalio/activity';
import { type MetricMeter, noopMetricMeter } from '@temporalio/common';
import { type Api, organizationProblem, organizationResolver } from '../api/client';
import { type ProxySettings } from '../config';
import { DEFAULT_SUBMIT, type Operator, type PollActivities, type SegueActivities } from '../contract';
import { createCalls } from './lib/calls';
import { checkMedia, createPrepareCampaign, createReadPlace, createResearch } from './campaign';
import { createReadWorkspaceClock, createWorkingHours } from './clock';
import { createReadFiredEnd, createStartFired } from './firing';
import { type AuthGrace } from './lib/failures';
import { countBreakerChange } from './lib/metrics';
import { createNotifications } from './notify';
import { createIsStillDue, createReadOutlook } from './outlook';
import { createDownloadSubtitles, createPollTasks, createReadRecord, type DownloadOptions } from './poll';
import { createRequestChanges, createWriteProjects, type WriteOptions } from './project';
import { Breaker } from './protection/breaker';
import { AccessDenials } from './protection/denials';
import { RateLimitPause } from './protection/rateLimitPause';
import { createStartRequested, readRequested } from './requests';
import { cancelRuns, readEnd, readEnds } from './runs';
import { type ChunkOptions, createPost, createSubmit, createSubmitChunk, type WriteProblem } from './submit';

export interface ActivityOptions extends ChunkOptions, WriteOptions, DownloadOptions, Partial<AuthGrace> {
  /** The workspace of every call that names none. */
  organization?: string;
  proxy?: ProxySettings;
  operator?: Operator;
  /** The meter of the process, for what belongs to no single activity. */
  meter?: MetricMeter;
  /** The clock of the breaker, and of pauses that the service asks for. */
  now?: () => number;
  /** The clock of outlooks and working hours. */
  wallClock?: () => number;
}

export function createActivities(api: Api, options: ActivityOptions = {}) {
  const { authGrace = DEFAULT_SUBMIT.authGrace, meter = noopMetricMeter } = options;
  const organizationOf = organizationResolver(api, options.organization);
  // One breaker for all submits with this credential.
  const breaker = new Breaker({
    now: options.now,
    onChange: (change) => {
      countBreakerChange(meter, change);
      if (change.to === 'open') log.error('submits are held back', { why: change.why });
      else log.info('submits are sent again', { heldBackMs: Math.round(change.openMs) });
    },
  });
  const denials = new AccessDenials(options.now);
  const patience = { authGrace };
  const general = {
    ...createCalls(api),
    ...createNotifications(api, options.operator, denials, options),
    requestChanges: createRequestChanges(organizationOf, patience),
    prepareCampaign: createPrepareCampaign(api, patience),
    checkMedia,
    readPlace: createReadPlace(api, patience),
    research: createResearch(api, patience),
    startRequested: createStartRequested(options.proxy),
    readRequested,
    readEnd,
    readEnds,
    cancelRuns,
    readOutlook: createReadOutlook(api, organizationOf, patience, options.wallClock),
    isStillDue: createIsStillDue(api, patience),
    workingHours: createWorkingHours(options.wallClock),
    startFired: createStartFired(meter, options.proxy),
    readFiredEnd: createReadFiredEnd(meter),
    readWorkspaceClock: createReadWorkspaceClock(api),
  };
  const polls = {
    getTask: general.getTask,
    readRecord: createReadRecord(api),
    downloadSubtitles: createDownloadSubtitles(api, options),
    pollTasks: createPollTasks(api),
  } satisfies PollActivities;
  const writes = { writeProjects: createWriteProjects(api, organizationOf, options) };
  const writeProblem: WriteProblem = (scope, call) => organizationProblem(organizationOf, scope, call);
  const post = createPost(api, breaker, new RateLimitPause(options.now), denials, writeProblem);
  const submits = { submit: createSubmit(post, options) };
  const chunks = { submitChunk: createSubmitChunk(post, options) };
  // Every activity of the contract is registered on one of the queues.
  ({ ...general, ...polls, ...writes, ...submits, ...chunks }) satisfies SegueActivities;
  return { general, polls, writes, submits, chunks };
}
