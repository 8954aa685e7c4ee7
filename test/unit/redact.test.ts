/** P7: what a report leaves out of texts and values. */
import { redact } from '../../src/cli/report/redact';

test.each([
  ['https://a.example/x.png?X-Amz-Signature=abc&y=1', 'https://a.example/x.png?…'],
  ['see https://sam:secret@a.example/x, please', 'see https://a.example/x, please'],
  ['https://a.example/x#access_token=abc', 'https://a.example/x?…'],
  ['{"url":"https://a.example/x?sig=1","n":1}', '{"url":"https://a.example/x?…","n":1}'],
  ['Authorization: Api-Key abcdef-123', 'Authorization: Api-Key [credential]'],
  ['it sent Bearer eyJhbGciOi.abc', 'it sent Bearer [credential]'],
  [`data:image/png;base64,${'A'.repeat(200)}`, 'data:…'],
  ["https://a.example/Mom's.png?sig=1", "https://a.example/Mom's.png?…"],
  ["https://a.example/x?f=UTF-8''a.png&sig=1", 'https://a.example/x?…'],
  ['authorization: bearer abcdef-123', 'authorization: bearer [credential]'],
  ['https://a.example/plain.png', 'https://a.example/plain.png'],
  ['is this a question? yes', 'is this a question? yes'],
])('P7: %s becomes %s', (text, shown) => {
  expect(redact(text)).toBe(shown);
});

test('P7: members with the names of credentials lose their texts, however deep they are', () => {
  const value = {
    list: [{ api_key: 'abc', accessToken: 'abc', token: 3, name: 'ok', 'x-api-key': 'abc' }],
    password: ['abc'],
    at: null,
  };
  expect(redact(value)).toEqual({
    list: [
      {
        api_key: '[credential]',
        accessToken: '[credential]',
        token: 3,
        name: 'ok',
        'x-api-key': '[credential]',
      },
    ],
    password: '[credential]',
    at: null,
  });
});
