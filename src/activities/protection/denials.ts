/** Who is denied access: one workspace (403), or everybody who uses the credential (401). Each is one thing to mend. */
import { type Scope } from '../../contract';
import { SharedTrouble } from './dedupedAlert';

const EVERYBODY = 'everybody';

/** Whom a denial is about. */
export function deniedTo(status: number | undefined, scope: Scope | undefined): string {
  return status === 403 ? `workspace ${scope?.organization ?? ''}` : EVERYBODY;
}

export class Denials {
  readonly #troubles = new Map<string, SharedTrouble>();

  constructor(private readonly now?: () => number) {}

  of(denied: string): SharedTrouble {
    const trouble = this.#troubles.get(denied) ?? new SharedTrouble(this.now);
    this.#troubles.set(denied, trouble);
    return trouble;
  }

  /** The service took something of this workspace. */
  areOver(scope: Scope | undefined): void {
    for (const denied of [EVERYBODY, deniedTo(403, scope)]) this.#troubles.get(denied)?.isOver();
  }
}
