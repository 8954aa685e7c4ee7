import { batchPartScenarios } from './batchPartScenarios';
import { batchScenarios } from './batchScenarios';
import { campaignCancelledScenarios } from './campaignCancelledScenarios';
import { campaignJobTroubleScenarios } from './campaignJobTroubleScenarios';
import { campaignLongScenarios } from './campaignLongScenarios';
import { campaignNextRunScenarios } from './campaignNextRunScenarios';
import { campaignPlaceScenarios } from './campaignPlaceScenarios';
import { campaignScenarios } from './campaignScenarios';
import { campaignServiceTroubleScenarios } from './campaignServiceTroubleScenarios';
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
  ...campaignPlaceScenarios,
  ...campaignServiceTroubleScenarios,
  ...campaignJobTroubleScenarios,
  ...campaignCancelledScenarios,
  ...campaignNextRunScenarios,
  ...campaignLongScenarios,
  ...outlookScenarios,
  ...firingScenarios,
  ...workspaceClockScenarios,
  ...batchScenarios,
  ...batchPartScenarios,
};
