/** How each command of batches ends: a script must know. */
const UNREACHABLE = '4 Temporal cannot be reached';
const NO_ANSWER = `${UNREACHABLE}, or no worker answers`;
const NO_MANIFEST = "4 Temporal, or the manifest's address, cannot be reached";
const NO_SUCH = '1 there is no such batch';
const WRONG = '2 something is wrong';
const WRONG_MANIFEST = '2 a flag or the manifest is wrong, or the key has another manifest';

export const EXITS = {
  check: `
Exit: 0 it can be run · ${WRONG} · 4 the address cannot be read.`,
  run: `
Exit: 0 all succeeded · 1 some failed, or it was cancelled, or no copy of the manifest can be kept here ·
${WRONG_MANIFEST} · 3 some are held ·
${NO_MANIFEST} · 5 waiting stopped, still running.`,
  start: `
Exit: 0 all lines are handed over · 1 no copy of the manifest can be kept here ·
${WRONG_MANIFEST} ·
${NO_MANIFEST}.`,
  follow: `
Exit: 0 all succeeded · 1 some failed, or it was cancelled, or there is no such batch · ${WRONG} ·
3 some are held · ${UNREACHABLE} · 5 waiting stopped, still running.`,
  retry: `
Exit: 0 they are handed over, or nothing failed · ${NO_SUCH} · 2 it is not run again; why is told ·
${NO_ANSWER}.`,
  results: `
Exit: 0 printed · ${NO_SUCH}, or some files could not be saved; the others are · ${WRONG} ·
${NO_ANSWER}.`,
  read: `
Exit: 0 read · ${NO_SUCH} · ${WRONG} · ${UNREACHABLE}.`,
  list: `
Exit: 0 listed · ${WRONG} · ${UNREACHABLE}.`,
  order: `
Exit: 0 it was taken · ${NO_SUCH} · 2 something is wrong, or the batch is over, or not paused where it is to be
resumed; nothing was done · ${NO_ANSWER}.`,
} as const;
