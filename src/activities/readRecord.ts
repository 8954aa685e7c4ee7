import { type Api } from '../api/client';
import { endOf } from '../api/endings';
import { shorten } from '../api/errors';
import { type PolledKind, type RecordNews, type RecordOrder, type RecordStatus } from '../contract';
import { callOptions } from './calls';
import { activityFailure } from './failures';
import { pauseFirst } from './pause';
import { boundedInfo } from './size';

/** Asks after a record that is polled. Before its end only its status is told: a history keeps every answer. */
export function createReadRecord(api: Api) {
  const status = ({ status }: { status: RecordStatus }): RecordStatus => status;
  const jobStatus = ({ job_status }: { job_status: string }): RecordStatus => job_status;
  const reads = {
    transcription: { read: api.getTranscription, statusOf: jobStatus },
    video: { read: api.getVideo, statusOf: jobStatus },
    asset: { read: api.getAsset, statusOf: status },
    run: { read: api.getRun, statusOf: status },
  } as unknown as Record<PolledKind, Read>;

  return async function readRecord({ kind, id, failOn, ...order }: RecordOrder): Promise<RecordNews> {
    pauseFirst(order);
    const { read, statusOf } = reads[kind];
    try {
      const record = await read({ id }, callOptions('readRecord', order));
      const told = statusOf(record);
      const news = { status: typeof told === 'string' ? shorten(told) : told };
      if (endOf(kind, told, failOn) === undefined) return news;
      return { ...news, record: boundedInfo(record, `segue get ${kind} ${id} --json`) };
    } catch (error) {
      throw activityFailure(error);
    }
  };
}

interface Read {
  read: (request: { id: string }, options: ReturnType<typeof callOptions>) => Promise<object>;
  statusOf: (record: object) => RecordStatus;
}
