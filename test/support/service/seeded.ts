/** The initial content of the sandbox, and a valid notification. */
export const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e0';
export const BOARD = 'c0a80101-0000-4000-8000-000000000001';
export const CAMPAIGN = '/projects/campaign/c1a4d5e0-1111-4222-8333-444455556666';
export const TRANSCRIPTION = '5f0c8d7e-2222-4333-8444-55556666777';
export const NOTICE = {
  userId: 'u-1',
  workspaceId: '1',
  title: 'Done',
  message: 'The banner is there.',
  category: 'agentTaskCompleted',
};
