import { batchScenarios } from './batchScenarios';
import { campaignLongScenarios } from './campaignLongScenarios';
import { campaignScenarios } from './campaignScenarios';
import { campaignTroubleScenarios } from './campaignTroubleScenarios';
import { firingScenarios } from './firingScenarios';
import { mediaTroubleScenarios } from './mediaTroubleScenarios';
import { outlookScenarios } from './outlookScenarios';
import { scenarios } from './scenarios';

export const allScenarios = {
  ...scenarios,
  ...mediaTroubleScenarios,
  ...campaignScenarios,
  ...campaignTroubleScenarios,
  ...campaignLongScenarios,
  ...outlookScenarios,
  ...firingScenarios,
  ...batchScenarios,
};
