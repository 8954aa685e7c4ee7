/** What is wrong with what people type about campaigns is one message, before Temporal is asked. */
import { expectRefused } from '../../support/builders/refused';

const ONE_REQUEST = 'give the request by --request or by --input; one of them';

test.each<[string[], (string | RegExp)[]]>([
  [['--request', '{"image_url":'], [/^--request: is not JSON: /]],
  [['--request', '[]'], ['--request: must be a JSON object']],
  [['--input', '/nowhere.json'], [/^--input \/nowhere\.json: cannot be read: /]],
  [['--input', __filename], [/^--input .*: is not JSON: /]],
  [[], [ONE_REQUEST]],
  [['--request', '{}', '--input', __filename], [ONE_REQUEST]],
])('campaign add %j', (args, lines) =>
  expectRefused(
    ['campaign', 'add', 'a/b', 'square', 'image-outpainting', ...args],
    ['Nothing was asked:', 'KEY: "a/b" is neither a key nor the id of a campaign', ...lines],
  ),
);
