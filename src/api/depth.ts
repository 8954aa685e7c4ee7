/** Looks no deeper than `levels`: what would overflow a stack must not do so here. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
