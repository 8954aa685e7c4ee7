/** JSON Schemas of what other languages read and send, made of the types: `npm run schemas` writes them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { createGenerator } from 'ts-json-schema-generator';

const ROOT = path.resolve(__dirname, '../..');

export const SCHEMAS_FILE = path.join(ROOT, 'schemas/messages.json');

/** The text of the file as it should be. */
export async function messageSchemas(): Promise<string> {
  const generator = createGenerator({
    path: path.join(ROOT, 'src/contract/messages.ts'),
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    ...{ type: 'Messages', expose: 'none', topRef: false },
    // A later version may add members.
    additionalProperties: true,
    // `npm run check` checks them.
    skipTypeCheck: true,
  });
  const { $schema, properties = {} } = generator.createSchema('Messages');
  const schemas = Object.entries(properties).map(([name, schema]) => [
    name,
    { $schema, ...(schema as object) },
  ]);
  return format(JSON.stringify(Object.fromEntries(schemas)), {
    ...(await resolveConfig(SCHEMAS_FILE)),
    parser: 'json',
  });
}

if (require.main === module)
  void messageSchemas().then((text) => {
    writeFileSync(SCHEMAS_FILE, text);
  });
