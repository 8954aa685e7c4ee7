/** A page for people: the state of the sandbox and its ledger. */
import { createHash } from 'node:crypto';
import { type FastifyInstance } from 'fastify';
import { type Backstage } from '../exchange';
import { faultRules } from './faults';
import { figures } from './figures';
import { html, Html } from './html';
import { notifications } from './notifications';
import { projects } from './projects';
import { REFRESH_SCRIPT } from './refresh';
import { STYLE } from './style';
import { tasks } from './tasks';
import { transcriptions } from './transcriptions';

/** Only the page's own script and style run, and it connects only to itself; pictures also come from this machine. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' data: http://127.0.0.1:* http://localhost:*",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(REFRESH_SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Exactly what was hashed, so not in a template that is formatted as HTML. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const SCRIPT_ELEMENT = new Html(`<script>${REFRESH_SCRIPT}</script>`);

export function addPage(app: FastifyInstance, backstage: Backstage): void {
  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(page(backstage).text),
  );
}

function page({ service: { state }, ledger, rules }: Backstage): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Segue sandbox</title>
        <link rel="icon" href="data:," />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>
          <h1>Segue sandbox</h1>
          <nav aria-label="As JSON">
            <a href="/openapi.json">OpenAPI</a>
            <a href="/_sandbox/ledger">Ledger</a>
            <a href="/_sandbox/faults">Faults</a>
            <a href="/_sandbox/samples">Samples</a>
          </nav>
          <span id="state" role="status"></span>
          <button id="pause" type="button" hidden>Pause</button>
        </header>
        <main>
          ${figures(ledger.summary)} ${faultRules(rules.all)} ${tasks(state, ledger)}
          ${notifications(state.notifications)} ${projects(state)} ${transcriptions(state)}
        </main>
        ${SCRIPT_ELEMENT}
      </body>
    </html>`;
}

function hashOf(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;
}
