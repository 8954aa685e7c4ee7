/** Entry of a bundle that has a team's workflows besides Segue's: the `workflowsPath` that `SeguePlugin` gives. */
/* eslint-disable no-restricted-syntax -- `SeguePlugin` maps this name to the team's module; the object holds functions and never changes */
import * as segue from '.';
// TypeScript cannot resolve an import of this name.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const team = require('segue-team-workflows') as Record<string, unknown>;

const clashing = Object.entries(segue).filter(([name, own]) => name in team && team[name] !== own);
if (clashing.length > 0) {
  const names = clashing.map(([name]) => name).join(', ');
  // A plain error: workflow tasks fail, and open runs wait until the team has renamed its workflow.
  throw new TypeError(`Segue has workflows of the same names; rename yours: ${names}`);
}

export = { ...segue, ...team };
