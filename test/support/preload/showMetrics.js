/** Preloaded into a worker: it shows its metrics, as a deployment may have them, at METRICS_ADDRESS. */
const { Runtime } = require('@temporalio/worker');

const { install } = Runtime;
Runtime.install = function (options) {
  const metrics = { prometheus: { bindAddress: process.env.METRICS_ADDRESS } };
  return install.call(this, { ...options, telemetryOptions: { ...options.telemetryOptions, metrics } });
};
