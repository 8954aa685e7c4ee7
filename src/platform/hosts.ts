/** Hosts of requests, without an HTTP client: every command loads this. */

export interface ProxySettings {
  https?: string;
  /** Hosts that are reached directly, in the form of NO_PROXY. */
  none?: string;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
