/** Settings of the dev servers of tests. */

/** How many parts a server keeps of each task queue. */
function queueParts(count: number): Record<string, number> {
  return {
    'matching.numTaskqueueReadPartitions': count,
    'matching.numTaskqueueWritePartitions': count,
  };
}

/** As servers come. */
export const USUAL_QUEUE_PARTS = queueParts(4);

/** For queues by the hundred, of a few tasks each, and runs that are deleted. */
export const FOR_MANY_SMALL_TESTS = {
  // A task waits longer where its part of the queue has no worker that polls.
  ...queueParts(1),
  // A run can be deleted once the server has noted that its end is dealt with: by default it does so every 30 s.
  'history.transferProcessorUpdateAckInterval': '"1s"',
};
