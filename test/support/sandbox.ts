import { type LedgerEntry, type LedgerSummary } from '../../src/sandbox/ledger';

export interface LedgerReading {
  entries: LedgerEntry[];
  summary: LedgerSummary;
}

/** The judge: what the service itself saw. */
export async function readLedger(sandboxUrl: string): Promise<LedgerReading> {
  const response = await fetch(`${sandboxUrl}/_sandbox/ledger`);
  return (await response.json()) as LedgerReading;
}
