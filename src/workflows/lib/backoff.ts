/** Waiting times that double up to a limit. */
export function doubling(firstMs: number, mostMs: number): { next(): number } {
  let following = firstMs;
  return {
    next() {
      const wait = following;
      following = Math.min(following * 2, mostMs);
      return wait;
    },
  };
}
