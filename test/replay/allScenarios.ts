import { batchScenarios } from './batchScenarios';
import { campaignScenarios } from './campaignScenarios';
import { outlookScenarios } from './outlookScenarios';
import { scenarios } from './scenarios';

export const allScenarios = { ...scenarios, ...campaignScenarios, ...outlookScenarios, ...batchScenarios };
