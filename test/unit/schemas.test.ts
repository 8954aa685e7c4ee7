/** JSON Schemas for other languages. */
import { readFile } from 'node:fs/promises';
import { messageSchemas, SCHEMAS_FILE } from '../support/schemas';

test('the schemas of results and messages are those of the types; if not, run `npm run schemas`', async () => {
  expect(await readFile(SCHEMAS_FILE, 'utf8')).toBe(await messageSchemas());
});
