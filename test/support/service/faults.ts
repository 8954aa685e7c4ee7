/** A sandbox for each test, its faults, and raw requests, byte by byte. */
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { type LedgerEntry } from '../../../sandbox/src/ledger';
import { type Sandbox } from '../../../sandbox/src/server';
import { eventually } from '../eventually';
import { RawExchange } from './rawClient';
import { addFault, ask, readLedger, useSandboxEach } from './sandbox';

interface CountedRule {
  id: string;
  seen: number;
  hits: number;
}

export interface FaultySandbox {
  sandbox: Sandbox;
  /** Sends one request as it is given; its connection ends with the test. */
  send: (head: string[], body?: string) => RawExchange;
  submit: (requestId?: string) => RawExchange;
  /** By default, the first submit is reset before it is applied. */
  fault: (rule: Partial<RuleRequest>) => Promise<void>;
  rules: () => Promise<CountedRule[]>;
  /** Waits until the service has seen the request, and gives its line of the ledger. */
  untilSeen: () => Promise<LedgerEntry>;
}

export const PAST_ANY_TEST_MS = 3_600_000;

/** Called at the top of a test file. */
export function useFaults(): FaultySandbox {
  const open: RawExchange[] = [];
  // Hooks run in their order: connections end before the sandbox does.
  afterEach(() => {
    for (const exchange of open.splice(0)) exchange.close();
  });
  const sandbox = useSandboxEach();

  function send(head: string[], body?: string): RawExchange {
    const exchange = RawExchange.send(sandbox.url, head, body);
    open.push(exchange);
    return exchange;
  }

  function submit(requestId = 'job.submit.1'): RawExchange {
    return send(
      [
        'POST /api/v1/tools/remove-background HTTP/1.1',
        'Authorization: Api-Key sandbox-key',
        'Content-Type: application/json',
        `X-Request-Id: ${requestId}`,
      ],
      JSON.stringify({ image_url: `${sandbox.url}/samples/shoe.png` }),
    );
  }

  function fault(rule: Partial<RuleRequest>): Promise<void> {
    const usual: RuleRequest = {
      operation: 'remove-background',
      match: { nth: 1 },
      fault: 'reset',
      when: 'before',
    };
    return addFault(sandbox.url, { ...usual, ...rule });
  }

  async function rules(): Promise<CountedRule[]> {
    const { json } = await ask(sandbox.url, 'GET /_sandbox/faults');
    return json.faults as CountedRule[];
  }

  function untilSeen(): Promise<LedgerEntry> {
    return eventually('a line in the ledger', async () => (await readLedger(sandbox.url)).entries[0]);
  }

  return { sandbox, send, submit, fault, rules, untilSeen };
}
