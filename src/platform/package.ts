import { existsSync, readFileSync } from 'node:fs';
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

/** How the command is called in this folder: a checkout has it in bin/. */
export const SEGUE = existsSync('bin/segue') ? './bin/segue' : 'npx --no segue';
