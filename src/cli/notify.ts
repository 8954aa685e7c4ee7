import { type Command } from 'commander';
import { type Notification } from '../contract';
import { categories } from '../api/operations/notify';
import { withApi } from './lib/connect';
import { addScopeFlags, type ScopeFlags, softJson } from './lib/flags';
import { EXIT, type ExitCode, exiting, print, printJson, say } from './lib/io';

/** The check of the notification names what is missing. */
type NotifyFlags = ScopeFlags &
  Pick<Notification, 'title' | 'message' | 'category' | 'body' | 'ctaLabel' | 'link'> & {
    user: string;
    workspace: string;
    thread?: string;
    extra?: string;
    json?: boolean;
  };

export function addTo(program: Command): void {
  const command = program
    .command('notify')
    .description('notify a user')
    .command('send')
    .description('send one notification; it is never sent a second time')
    .option('--user <id>', 'user to notify')
    .option('--workspace <id>', 'workspace')
    .option('--title <text>', 'short headline in sentence case; not repeated in the message or body')
    .option('--message <text>', 'summary of one or two lines')
    .option('--category <category>', `decides the channels: ${categories.join(', ')}`)
    .option('--thread <id>', 'conversation it comes from')
    .option('--body <markdown>', 'long form, written as a complete email')
    .option('--cta-label <text>', 'label of the action button')
    .option('--link <url>', 'deep link to the relevant page')
    .option('--extra <json>', 'metadata, as a JSON object')
    .option('--json', 'print the outcome as one JSON object');
  addScopeFlags(command).action(exiting(send));
}

async function send(flags: NotifyFlags): Promise<ExitCode> {
  const { title, message, category, body, ctaLabel, link } = flags;
  const notification: Notification = {
    ...{ title, message, category, body, ctaLabel, link },
    userId: flags.user,
    workspaceId: flags.workspace,
    threadId: flags.thread,
    _extra: softJson(flags.extra) as Notification['_extra'],
  };
  return withApi(flags, async (api, options) => {
    const outcome = await api.notify(notification, options());
    if (flags.json) printJson(outcome);
    else if (outcome.outcome === 'sent') print('sent');
    else say(`${outcome.outcome}: ${outcome.reason}`);
    switch (outcome.outcome) {
      case 'sent':
        return EXIT.done;
      case 'notSent':
        return EXIT.unreachable;
      case 'refused':
        return outcome.status === undefined ? EXIT.wrongInput : EXIT.failed;
      case 'unknown':
        say('It may have arrived. It is not sent again; look before you do.');
        return EXIT.held;
    }
  });
}
