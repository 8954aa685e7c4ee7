/** The address of a server from this machine; one that listens on a wildcard is reached on loopback. */
export function originOf(address: string, port: number): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
