/** Entry of a bundle that has a team's workflows besides Segue's: the `workflowsPath` that `SeguePlugin` gives. */
/* eslint-disable no-restricted-syntax -- the bundler finds the module of the team by this name, and nothing here changes */
import * as segue from '.';
// eslint-disable-next-line @typescript-eslint/no-require-imports
const team = require('segue-team-workflows') as Record<string, unknown>;

const clashing = Object.entries(segue).filter(([name, own]) => name in team && team[name] !== own);
if (clashing.length > 0) {
  const names = clashing.map(([name]) => name).join(', ');
  throw new TypeError(`Segue has workflows of the same names; rename yours: ${names}`);
}

export = { ...segue, ...team };
