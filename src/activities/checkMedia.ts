import { problemsOfMediaRequest } from '../runs/campaignRequests';
import { type CampaignActivities } from '../contract';

/** An activity, because the table of tools is no part of the workflow bundle. It asks nobody. */
export const checkMedia: CampaignActivities['checkMedia'] = ({ tool, request }) =>
  Promise.resolve(problemsOfMediaRequest(tool, request));
