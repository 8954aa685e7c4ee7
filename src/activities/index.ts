import { log } from '@temporalio/activity';
import { type MetricMeter, noopMetricMeter } from '@temporalio/common';
import { type Api, organizationResolver } from '../api/client';
import { type ProxySettings } from '../config';
import { DEFAULT_SUBMIT, type Operator, type PollActivities, type SegueActivities } from '../contract';
import { countBreakerChange } from './lib/metrics';
import { Breaker, type BreakerChange } from './protection/breaker';
import { createCalls } from './calls';
import { cancelRuns } from './cancelRuns';
import { Denials } from './protection/denials';
import { checkMedia } from './checkMedia';
import { createDownloadSubtitles, type DownloadOptions } from './downloadSubtitles';
import { type Patience } from './failures';
import { type GuardOptions } from './atMostOnce/guards';
import { createIsStillDue } from './isStillDue';
import { readMediaResult, startMedia } from './mediaRequests';
import { createNotify } from './notify';
import { createNotifyChunk } from './notifyChunk';
import { createPollTasks } from './pollTasks';
import { createPost } from './atMostOnce/post';
import { createPrepareCampaign } from './prepareCampaign';
import { Quiet } from './protection/rateLimitPause';
import { readEnd } from './readEnd';
import { readEnds } from './readEnds';
import { createReadFiredEnd } from './readFiredEnd';
import { createReadOutlook } from './readOutlook';
import { createReadPlace } from './readPlace';
import { createReadRecord } from './readRecord';
import { createRequestChange } from './requestChange';
import { createResearch } from './research';
import { createStartFired } from './startFired';
import { createSubmit } from './submit';
import { createSubmitChunk } from './submitChunk';
import { createTellOperator } from './tellOperator';
import { createWire } from './protection/sendSlots';
import { createWorkingHours } from './workingTime';
import { createReadWorkspaceClock } from './workspaceClock';
import { createWriteProject, type WriteOptions } from './writeProject';

export interface ActivityOptions extends GuardOptions, WriteOptions, DownloadOptions, Partial<Patience> {
  /** The workspace of every call that names none. */
  organization?: string;
  /** On the way to the addresses of manifests. */
  proxy?: ProxySettings;
  operator?: Operator;
  /** POSTs of chunks on the wire at once, in this process. */
  mostInChunks?: number;
  /** Of one chunk. */
  mostInChunk?: number;
  /** Of the process: what is counted here belongs to no single activity. */
  meter?: MetricMeter;
  /** The clock of the breaker, and of pauses that the service asks for. */
  now?: () => number;
  /** The clock of outlooks and working hours. */
  wallClock?: () => number;
}

/** Everything a Segue worker can do for a workflow, by the queue that does it. */
export function createActivities(api: Api, options: ActivityOptions = {}) {
  const { authGrace = DEFAULT_SUBMIT.authGrace, meter = noopMetricMeter } = options;
  const organizationOf = organizationResolver(api, options.organization);
  // One for all that submits with this credential.
  const breaker = new Breaker({
    now: options.now,
    onChange: (change) => {
      announce(change, meter);
    },
  });
  const denials = new Denials(options.now);
  const general = {
    ...createCalls(api),
    notify: createNotify(api, options),
    tellOperator: createTellOperator(api, options.operator, denials, options),
    requestChange: createRequestChange(organizationOf, { authGrace }),
    writeProject: createWriteProject(api, options),
    prepareCampaign: createPrepareCampaign(api, { authGrace }),
    checkMedia,
    readPlace: createReadPlace(api, { authGrace }),
    research: createResearch(api, { authGrace }),
    startMedia,
    readMediaResult,
    readEnd,
    readEnds,
    cancelRuns,
    readOutlook: createReadOutlook(api, organizationOf, { authGrace }, options.wallClock),
    isStillDue: createIsStillDue(api, { authGrace }),
    ...createWorkingHours(options.wallClock),
    startFired: createStartFired(meter, options.proxy),
    readFiredEnd: createReadFiredEnd(meter),
    readWorkspaceClock: createReadWorkspaceClock(api),
    notifyChunk: createNotifyChunk(api, options),
  };
  const polls = {
    getTask: general.getTask,
    readRecord: createReadRecord(api),
    downloadSubtitles: createDownloadSubtitles(api, options),
    pollTasks: createPollTasks(api),
  } satisfies PollActivities;
  const post = createPost(api, breaker, new Quiet(options.now), denials);
  const submits = { submit: createSubmit(post, options) };
  const chunks = {
    submitChunk: createSubmitChunk(
      post,
      createWire({ most: options.mostInChunks, mostOfChunk: options.mostInChunk }),
      options,
    ),
  };
  // What the contract promises is registered on one of them.
  ({ ...general, ...polls, ...submits, ...chunks }) satisfies SegueActivities;
  return { general, polls, submits, chunks };
}

function announce(change: BreakerChange, meter: MetricMeter): void {
  countBreakerChange(meter, change);
  if (change.to === 'open') log.error('submits are held back', { why: change.why });
  else log.info('submits are sent again', { heldBackMs: Math.round(change.openMs) });
}
