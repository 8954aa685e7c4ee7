/** The workspace that the sandbox's credential belongs to. `teamspaces` holds only active ones. */
export const workspaceContext = {
  user: { id: 1, first_name: 'Sam', last_name: 'Sandbox', email: 'sam@sandbox.example' },
  workspace: {
    id: 1,
    name: 'Sandbox',
    slug: 'sandbox',
    is_active: true,
    settings: { timezone: 'Europe/Berlin', language: 'en', start_of_week: 'mo' },
  },
  teamspaces: [{ id: 11, name: 'Launch', slug: 'launch', is_active: true }],
};
