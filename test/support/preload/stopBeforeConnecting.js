/** Preloaded into a worker: it stops itself when its first POST is about to get a connection. */
const net = require('node:net');
const { writeSync } = require('node:fs');

const service = new URL(process.env.SEGUE_API_URL);
const { connect } = net.Socket.prototype;
let hasStopped = false;

net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const result = connect.apply(this, args);
  if (!hasStopped && String(options?.port) === service.port) {
    hasStopped = true;
    writeSync(2, 'stopping itself\n');
    process.kill(process.pid, 'SIGSTOP');
  }
  return result;
};
