/** Brings changes into a project: read, apply, one PATCH, repeated until the outcome is known. */
import { isDeepStrictEqual } from 'node:util';
import { sleep } from '@temporalio/activity';
import { type Api } from '../../api/client';
import {
  AnswerError,
  ApiError,
  InvalidRequestError,
  StatusError,
  TooLargeError,
  TransportError,
} from '../../api/errors';
import { truncateBytes, valueAt } from '../../api/json';
import { changeData, ChangeError } from '../../contract/changes';
import { type RefusedChange, type WriteOrder } from '../../contract';
import { type ProjectCalls } from './writeAttempt';

type Order = WriteOrder['projects'][number];
type Change = Order['changes'][number];
type Read = Awaited<ReturnType<Api['getProject']>>;
type Update = Parameters<Api['updateProject']>[0]['changes'];

/** Others may write in between; after losing this often, the attempt fails and is retried later. */
const MOST_ROUNDS = 5;
/** After an unknown outcome one more read shows what the service did; then the attempt fails and is retried later. */
const MOST_UNKNOWN = 2;
/** After so many single changes were denied, the project is: all of it is retried later. */
const MOST_DENIALS = 5;
/** In bytes: one answer has the errors of all changes of an activity, and the server takes up to 2 MB. */
const LONGEST_ERROR = 500;
const [SHORT_PAUSE_MS, PAUSE_JITTER_MS] = [50, 200];

/** What an error of the service means for the changes that were sent. */
type Verdict =
  /** Somebody else wrote since the read. */
  | 'outdated'
  /** These changes will never be taken. */
  | 'refused'
  /** No change of this project will be. */
  | 'gone'
  /** Access is denied, to one change or to all. */
  | 'denied'
  /** Nothing was written, and a retry later may help. */
  | 'later'
  /** It may have been written. */
  | 'unknown';

/** A PATCH without an ETag has an unknown outcome: until then it may still arrive, and outdate a read. */
export class UnsettledError extends Error {
  constructor(
    readonly failure: ApiError,
    readonly until: number,
  ) {
    super(failure.message);
  }
}

export class ProjectUpdate {
  /** The changes settled so far. */
  readonly applied: string[] = [];
  readonly refused: RefusedChange[] = [];
  #denial?: ApiError;
  #denials = 0;

  constructor(
    private readonly api: Api,
    private readonly project: Order['project'],
    private readonly calls: ProjectCalls,
  ) {}

  /** Settles as many changes as possible; throws why it could not settle all. */
  async settleAll(changes: Change[]): Promise<void> {
    await this.#settle(changes);
    if (this.#denial) throw this.#denial;
  }

  /** Writes all changes by one PATCH. When the service refuses it, by halves, until a refused change stands alone. */
  async #settle(changes: Change[]): Promise<void> {
    const refusal = await this.#write(changes);
    if (!refusal) return;
    const verdict = verdictOf(refusal);
    if (verdict === 'gone') {
      this.#refuse(changes, refusal.message, true);
    } else if (verdict === 'refused' && changes.length === 1) {
      this.#refuse(changes, refusal.message);
    } else if (changes.length > 1) {
      // The other projects of the attempt wait for this one, so the rest is tried later, among slow projects.
      if (this.calls.isSlow() && this.applied.length + this.refused.length > 0) throw refusal;
      const half = Math.ceil(changes.length / 2);
      await this.#settle(changes.slice(0, half));
      await this.#settle(changes.slice(half));
    } else {
      // The denied change stays unsettled and waits for the next write; the others are written.
      this.#denial = refusal;
      this.#denials += 1;
      // Each of the others would cost two requests, and would be denied, too.
      if (this.#denials === MOST_DENIALS) throw refusal;
    }
  }

  /** The service's refusal of these changes; undefined when they are settled. */
  async #write(changes: Change[]): Promise<ApiError | undefined> {
    for (let round = 1; ; round++) {
      const read = await this.#read(changes);
      if (!read) return undefined;
      const attempt = applyAll(read, changes);
      const failure = attempt.update && (await this.#patch(attempt.update, strongTag(read.etag)));
      if (!failure) {
        this.applied.push(...attempt.fitting);
        this.refused.push(...attempt.unfit);
        return undefined;
      }
      const verdict = verdictOf(failure);
      switch (verdict) {
        case 'refused':
        case 'gone':
        case 'denied':
          return failure;
        case 'later':
          throw failure;
        case 'outdated':
        case 'unknown':
          if (round >= (verdict === 'outdated' ? MOST_ROUNDS : MOST_UNKNOWN)) throw failure;
          await sleep(SHORT_PAUSE_MS + Math.random() * PAUSE_JITTER_MS * round);
      }
    }
  }

  /** The project as it is now; undefined when it cannot be read for a reason that will not pass. */
  async #read(changes: Change[]): Promise<Read | undefined> {
    try {
      return await this.api.getProject({ ...this.project }, { ...this.calls.next(), verbatim: true });
    } catch (error) {
      const isTooLarge = error instanceof TooLargeError;
      if (!isTooLarge && !isFinal(error)) throw error;
      const hint = isTooLarge ? '; SEGUE_MAX_PROJECT_MIB sets the limit' : '';
      this.#refuse(changes, `${error.message}${hint}`, true);
      return undefined;
    }
  }

  /** Sends one PATCH and returns its error. Throws when it may have been written without an ETag. */
  async #patch(changes: Update, ifMatch: string | undefined): Promise<ApiError | undefined> {
    const isGuarded = ifMatch !== undefined;
    const sendBefore = await this.calls.beforePatch(isGuarded);
    try {
      await this.api.updateProject(
        { ...this.project, changes, ifMatch },
        { ...this.calls.next(), sendBefore },
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A success, whatever its body is.
      if (error instanceof AnswerError || (error instanceof TooLargeError && error.status < 300))
        return undefined;
      // With an ETag the service refuses a late PATCH. Without one, a late PATCH would outdate a read made now.
      if (!isGuarded && verdictOf(error) === 'unknown')
        throw new UnsettledError(error, this.calls.settledAt());
      return error;
    }
  }

  #refuse(changes: Change[], why: string, wholeProject?: true): void {
    const error = truncateBytes(why, LONGEST_ERROR);
    this.refused.push(...changes.map(({ changeId }) => ({ changeId, error, wholeProject })));
  }
}

interface Attempt {
  /** Ids of the changes that fit the project. */
  fitting: string[];
  unfit: RefusedChange[];
  /** What to send; undefined when the project is as it should be. */
  update?: Update;
}

function applyAll(read: Read, changes: Change[]): Attempt {
  const attempt: Attempt = { fitting: [], unfit: [] };
  let { data } = read;
  const fields: Omit<Update, 'data'> = {};
  for (const { changeId, change } of changes) {
    try {
      if (change.steps?.length) {
        if (data === null) throw new ChangeError(NO_DATA);
        if (read.inexact !== null) throw new ChangeError(inexactWords(read.inexact));
        data = changeData(data, change);
      }
      Object.assign(fields, change.fields);
      attempt.fitting.push(changeId);
    } catch (error) {
      if (!(error instanceof ChangeError)) throw error;
      attempt.unfit.push({ changeId, error: truncateBytes(error.message, LONGEST_ERROR) });
    }
  }
  const newFields = Object.entries(fields).filter(
    ([name, value]) => valueAt(read.document, `/${name}`) !== value,
  );
  const newData = data === null || isDeepStrictEqual(data, read.data) ? {} : { data };
  const update: Update = { ...Object.fromEntries(newFields), ...newData };
  return Object.keys(update).length === 0 ? attempt : { ...attempt, update };
}

const NO_DATA =
  'the project was read, but the answer has no data object, so nothing was sent: what is not seen cannot be kept; ' +
  'SEGUE_PROJECT_PATH and SEGUE_PROJECT_DATA_AT say where it is';

function inexactWords(number: string): string {
  return `the project holds the number ${number}, which would be changed by sending it back, so nothing was sent; kept as a text it does no harm`;
}

/** A weak ETag never matches (RFC 9110, 13.1.1): sent back it would keep every PATCH out. */
function strongTag(etag: string | null): string | undefined {
  return etag === null || etag.startsWith('W/') ? undefined : etag;
}

/** Whether a retry would only get the same answer. */
function isFinal(error: unknown): error is ApiError {
  return ['gone', 'refused'].includes(verdictOf(error));
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof InvalidRequestError) return 'refused';
  if (error instanceof TransportError && !error.sent) return 'later';
  if (!(error instanceof StatusError)) return 'unknown';
  switch (error.status) {
    case 403:
      return 'denied';
    case 404:
    case 410:
      return 'gone';
    case 412:
      return 'outdated';
    case 401:
    case 423:
    case 425:
    case 429:
      return 'later';
    case 408:
    case 409:
    case 499:
      return 'unknown';
    default:
      return error.status >= 400 && error.status < 500 ? 'refused' : 'unknown';
  }
}
