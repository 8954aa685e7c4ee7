import { batchScenarios } from './batchScenarios';
import { campaignScenarios } from './campaignScenarios';
import { firingScenarios } from './firingScenarios';
import { outlookScenarios } from './outlookScenarios';
import { scenarios } from './scenarios';

export const allScenarios = {
  ...scenarios,
  ...campaignScenarios,
  ...outlookScenarios,
  ...firingScenarios,
  ...batchScenarios,
};
