import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder that holds package.json, seen from src/ and from dist/ alike. */
export const PACKAGE_ROOT = path.resolve(__dirname, '../..');

export const PACKAGE_JSON = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

export const VERSION = PACKAGE_JSON.version;
