/** Credentials that every sandbox takes, in both forms of the Authorization header. */
export const SANDBOX_KEY = 'sandbox-key';

/** May do everything but send notifications. */
export const SANDBOX_KEY_NO_NOTIFY = 'sandbox-key-no-notify';
