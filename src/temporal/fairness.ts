/** Whether the server lets workspaces share a task queue fairly. It says so to administrators only. */
import { Connection } from '@temporalio/client';
import { type ConnectionCtorOptions } from '@temporalio/client/lib/connection';
import { temporal as proto } from '@temporalio/proto';
import { type Message, parse, type RPCImpl } from 'protobufjs';
import { type TemporalConfig } from '../config';
import { openConnection } from './connection';

/** The setting of the server's dynamic configuration; off by default. */
export const FAIRNESS_SETTING = 'matching.enableFairness';

export type Fairness = 'on' | 'off' | 'untold';

const ADMIN_SERVICE = 'temporal.server.api.adminservice.v1.AdminService';
const ASK_FOR_MS = 5_000;

/** No package has the messages of this service: these are the fields of them that are needed here. */
const { root } = parse(`
  syntax = "proto3";
  service AdminService { rpc DescribeTaskQueuePartition(Question) returns (Answer); }
  message Question { string namespace = 1; Partition task_queue_partition = 2; Versions build_ids = 3; }
  message Partition { string task_queue = 1; int32 task_queue_type = 2; int32 normal_partition_id = 3; }
  message Versions { bool unversioned = 2; }
  message Answer { map<string, Version> versions_info_internal = 1; }
  message Version { Physical physical_task_queue_info = 2; }
  message Physical { repeated Backlog internal_task_queue_status = 3; }
  message Backlog {
    int64 max_read_level = 6;
    FairLevel fair_max_read_level = 9;
    bool draining = 10;
  }
  message FairLevel { int64 task_pass = 1; int64 task_id = 2; }
`);

/** One of the places where a queue keeps what waits in it. */
interface Backlog {
  /** How far it has been filled: one is there if it keeps no order among workspaces, the other if it does. */
  maxReadLevel?: number;
  fairMaxReadLevel?: object;
  /** Nothing new comes into it: the setting was changed, and the queue's other backlog is in use. */
  draining?: boolean;
}

interface Answer {
  versionsInfoInternal?: Partial<
    Record<string, { physicalTaskQueueInfo?: { internalTaskQueueStatus?: Backlog[] } }>
  >;
}

/**
 * Asks the server about the activities of a queue, and changes nothing there. Untold where it keeps the answer from
 * this client, and where nothing has waited in the queue yet: then both kinds of backlog look alike.
 */
export async function readFairness(config: TemporalConfig, taskQueue: string): Promise<Fairness> {
  try {
    const { address, apiKey, tls, metadata } = config.connection;
    const options = { address, apiKey, tls, metadata, connectTimeout: ASK_FOR_MS };
    const { connection, close } = await openConnection(options, AdminConnection);
    try {
      const deadline = Date.now() + ASK_FOR_MS;
      return await connection.withDeadline(deadline, () => ask(connection, config.namespace, taskQueue));
    } finally {
      await close();
    }
  } catch {
    return 'untold';
  }
}

/** A queue is in several parts, and something may have waited in only one of them. */
async function ask(connection: AdminConnection, namespace: string, taskQueue: string): Promise<Fairness> {
  const { activityTaskQueuePartitions: parts } = await connection.workflowService.listTaskQueuePartitions({
    namespace,
    taskQueue: { name: taskQueue },
  });
  for (const part of parts.keys()) {
    const fairness = fairnessIn(await connection.backlogsOf(namespace, taskQueue, part));
    if (fairness !== 'untold') return fairness;
  }
  return 'untold';
}

/** A queue has one backlog in use, and may have one of the other kind that drains. */
function fairnessIn(backlogs: Backlog[]): Fairness {
  for (const { maxReadLevel, fairMaxReadLevel, draining = false } of backlogs) {
    if (fairMaxReadLevel) return draining ? 'off' : 'on';
    if (maxReadLevel) return draining ? 'on' : 'off';
  }
  return 'untold';
}

/** Reaches the one service of the server that the SDK's connections leave out. */
class AdminConnection extends Connection {
  private readonly rpc: RPCImpl;

  protected constructor(options: ConnectionCtorOptions) {
    super(options);
    this.rpc = Connection.generateRPCImplementation({
      ...options,
      serviceName: ADMIN_SERVICE,
      interceptors: options.options.interceptors,
      staticMetadata: options.options.metadata,
    });
  }

  async backlogsOf(namespace: string, taskQueue: string, part: number): Promise<Backlog[]> {
    const service = root.lookupService('AdminService').create(this.rpc) as unknown as {
      describeTaskQueuePartition: (question: object) => Promise<Message>;
    };
    const taskQueueType = proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;
    const message = await service.describeTaskQueuePartition({
      namespace,
      taskQueuePartition: { taskQueue, taskQueueType, normalPartitionId: part },
      buildIds: { unversioned: true },
    });
    const answer: Answer = root.lookupType('Answer').toObject(message, { longs: Number });
    return answer.versionsInfoInternal?.['']?.physicalTaskQueueInfo?.internalTaskQueueStatus ?? [];
  }
}
