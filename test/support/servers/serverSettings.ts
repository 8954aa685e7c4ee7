/** Settings of the dev servers of tests. */

/** For queues by the hundred, of a few tasks each, and runs that are deleted. */
export const FOR_MANY_SMALL_TESTS = {
  // A task waits longer where its part of the queue has no worker that polls, and each part has a share of the rate.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // A run can be deleted once the server has noted that its end is dealt with: by default it does so every 30 s.
  'history.transferProcessorUpdateAckInterval': '"1s"',
};
