/** A spec as people write it: YAML, or JSON, which is YAML too. Every problem has its line and column. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import { LARGEST_CAMPAIGN_BYTES, type Path, type Problem, problemText } from '../../validation/campaign';
import { type CampaignSpec } from '../../contract';
import { assertValid } from '../../errors';
import { findSpecProblems } from '../../runs/campaign';

/** Comments and blanks are not counted when a campaign is started, but a text is read as a whole. */
const LONGEST_TEXT = 4 * LARGEST_CAMPAIGN_BYTES;

/** The spec in a text, or an error with everything that is wrong with it, as `name:line:column`. */
export function readCampaignSpec(text: string, name = 'spec'): CampaignSpec {
  const { spec, problems } = readSpecText(text, name, findSpecProblems);
  assertValid(problems, 'The campaign was not started');
  return spec as CampaignSpec;
}

export function readSpecText(
  text: string,
  name: string,
  find: (spec: unknown) => Problem[],
): { spec?: unknown; problems: string[] } {
  if (text.length > LONGEST_TEXT)
    return { problems: [`${name}: has ${text.length} characters, more than ${LONGEST_TEXT}`] };
  const lineCounter = new LineCounter();
  const problems: { offset: number; message: string }[] = [];
  let spec: unknown;
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false });
    const { errors, warnings } = document;
    for (const { message, pos } of [...errors, ...warnings])
      problems.push({ offset: pos[0], message: message });
    // A text with syntax errors is not checked further.
    if (errors.length === 0) {
      spec = document.toJS();
      for (const problem of find(spec))
        problems.push({ offset: offsetOf(document, problem), message: problemText(problem) });
    }
  } catch (error) {
    // Aliases that multiply or refer to themselves, or too deep nesting.
    if (!(error instanceof ReferenceError) && !(error instanceof RangeError)) throw error;
    problems.push({ offset: 0, message: error.message });
  }
  problems.sort((a, b) => a.offset - b.offset);
  return {
    spec,
    problems: problems.map(({ offset, message }) => {
      const { line, col } = lineCounter.linePos(offset);
      return `${name}:${line}:${col}: ${message}`;
    }),
  };
}

/** The offset of a plain value; of a list or object, that of its name; of a missing value, that of its parent. */
function offsetOf(document: Document, { path, ofName }: Problem): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    const found = memberOf(isAlias(node) ? node.resolve(document) : node, part);
    if (!found) return offset;
    node = found.value;
    const isPlain = isScalar(node) && node.value !== null;
    offset =
      (isPlain && !ofName ? startOf(node) : undefined) ?? startOf(found.key) ?? startOf(node) ?? offset;
  }
  return offset;
}

function memberOf(node: unknown, part: Path[number]): { key?: unknown; value: unknown } | undefined {
  if (isSeq(node))
    return typeof part === 'number' && part in node.items ? { value: node.items[part] } : undefined;
  if (!isMap(node)) return undefined;
  const isNamed = ({ key }: Pair): boolean => String(isScalar(key) ? key.value : key) === String(part);
  return node.items.find(isNamed);
}

function startOf(node: unknown): number | undefined {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range?.[0];
}
