/** What a document has where somebody looked for something else, in words. */
import { shorten } from './errors';
import { pointerTo, pointerTokens, valueAt } from './pointer';

const MOST_NAMES = 20;
const LONGEST_NAME = 60;

/** The nearest place on the way that there is, and what it has. `whole` is what the document is called. */
export function whatIsThere(document: unknown, at: string, whole: string): string {
  let place = pointerTokens(at);
  while (valueAt(document, pointerTo(place)) === undefined && place.length > 0) place = place.slice(0, -1);
  const there = valueAt(document, pointerTo(place));
  const where = place.length === 0 ? `In ${whole}` : `At ${pointerTo(place)}`;
  return `${where} there is ${briefly(there)}`;
}

export function briefly(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || typeof value !== 'object') return shorten(JSON.stringify(value));
  const names = Object.keys(value).map((name) => shorten(name, LONGEST_NAME));
  const told = names.slice(0, MOST_NAMES).join(', ') || 'nothing';
  const others = names.length - MOST_NAMES;
  return `an object with ${told}${others > 0 ? ` and ${others} more` : ''}`;
}
