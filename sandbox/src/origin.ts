/** Where a server that listens on this address is reached from this machine; a wildcard is reached on loopback. */
export function originOf(address: string, port: number): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
