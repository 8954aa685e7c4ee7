/** Settings of the dev servers of tests. */

/** For hundreds of task queues with a few tasks each, and for deleting runs. */
export const FOR_MANY_SMALL_TESTS = {
  // A task waits longer in a queue partition without a poller, and each partition has a share of the rate.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // A run can be deleted only after the server has recorded that its close was processed, by default every 30 s.
  'history.transferProcessorUpdateAckInterval': '"1s"',
};
