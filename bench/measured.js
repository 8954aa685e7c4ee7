/** A process of its own, and what the system says it used. */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const readline = require('node:readline');

/** The unit of CPU times in /proc: 100 a second on every Linux of today. */
const MS_OF_A_TICK = 10;

/** Processor time of all its threads since it began, in milliseconds. */
function cpuMsOf(pid) {
  // The second field is the command in brackets, and may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_OF_A_TICK;
}

/** The most memory it ever had resident, in MiB. */
function peakMiBOf(pid) {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Starts a Node script, and waits for a line of it that begins with "ready". */
async function startScript(script, args, { env = {}, nodeFlags = [] } = {}) {
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const lines = readline.createInterface({ input: child.stdout });
  const ready = await new Promise((resolve, reject) => {
    lines.on('line', (line) => line.startsWith('ready') && resolve(line));
    ended.then(() => reject(new Error(`${script} ${args.join(' ')} ended before it was ready`)));
  });
  return { pid: child.pid, ready, stop };
}

module.exports = { cpuMsOf, peakMiBOf, startScript };
