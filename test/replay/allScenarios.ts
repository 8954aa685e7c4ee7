import { batchScenarios } from './batchScenarios';
import { campaignLongScenarios } from './campaignLongScenarios';
import { campaignScenarios } from './campaignScenarios';
import { campaignTroubleScenarios } from './campaignTroubleScenarios';
import { firingScenarios } from './firingScenarios';
import { longRunScenarios } from './longRunScenarios';
import { mediaTroubleScenarios } from './mediaTroubleScenarios';
import { outlookScenarios } from './outlookScenarios';
import { projectWriterScenarios } from './projectWriterScenarios';
import { scenarios } from './scenarios';
import { workspaceClockScenarios } from './workspaceClockScenarios';

export const allScenarios = {
  ...scenarios,
  ...mediaTroubleScenarios,
  ...longRunScenarios,
  ...projectWriterScenarios,
  ...campaignScenarios,
  ...campaignTroubleScenarios,
  ...campaignLongScenarios,
  ...outlookScenarios,
  ...firingScenarios,
  ...workspaceClockScenarios,
  ...batchScenarios,
};
