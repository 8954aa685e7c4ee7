import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder that holds package.json, seen from src/ and from dist/ alike. */
const PACKAGE_ROOT = path.resolve(__dirname, '../..');

const manifest = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

export const VERSION = manifest.version;
