/** Parts of a path as they stand in it: encoded, or wrongly so. */
export const HOSTILE_PARTS: readonly string[] = [
  ...[
    '',
    '.',
    '..',
    '%2e%2e',
    '..%2F..%2Fetc%2Fpasswd',
    'a/b',
    'a%2Fb',
    '%2F',
    '%5C',
    '*',
    '{id}',
    ':id',
    ';a=b',
  ],
  ...[
    '%00',
    'a%00b',
    '%',
    '%zz',
    '%ff',
    '%ED%A0%80',
    '%C0%AE',
    '%F0%9F%98%80',
    '%E2%80%AE%D9%85',
    '\u{1f642}',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'undefined',
    'null',
    'NaN',
    '%20',
    '%0D%0Aset-cookie%3Aa%3Db',
    '%23',
  ],
  ...['0', '-1', '+1', '01', '1.5', '1e3', '0x10', '9'.repeat(15), '9'.repeat(16), '9'.repeat(400), '%D9%A3'],
  ...["'%20OR%201=1--", '%22;DROP%20TABLE%20messages', 'x'.repeat(5_000), '%E8%AE%B0'.repeat(2_000)],
  ...['0000-00-00', '2026-02-30', '9999-99-99', '2026-02-10', 'nobody', 'x'.repeat(12_000)],
]

/** What is there, by the name of the part. */
const KNOWN_PARTS: Readonly<Record<string, readonly string[]>> = {
  id: ['s', 'g', 'u', '1'],
  seq: ['1', '2', '20', '21'],
  segment: ['1', '2'],
  layer: ['user', 'scope', 'chat', 'daily', 'persona', 'global'],
  key: ['u', 'w', 's', 'g', '2026-02-10%2Fs', 'versions', 'undo'],
  day: ['2026-02-10'],
  model: ['qwen3'],
}

export function knownParts(name: string): readonly string[] {
  return KNOWN_PARTS[name] ?? Object.values(KNOWN_PARTS).flat()
}

/** Values of a query, encoded. */
export const QUERY_VALUES: readonly string[] = [
  ...[
    '',
    '0',
    '1',
    '5',
    '-1',
    '1.5',
    '1e3',
    '0x5',
    '9'.repeat(15),
    '9'.repeat(30),
    'NaN',
    'Infinity',
    'true',
    'null',
  ],
  ...[
    'lemons',
    'lemons%20Porto',
    '%22lemons%20for%22',
    '%22',
    '*',
    '(',
    's',
    'u',
    'w',
    'user',
    'messages',
    'level',
  ],
  ...['2026-02-10', '2026-02-10T14:00', '2026-02-30', '%2B275760-09-13', '-1-01-01', 'start', '1.2', '0.0'],
  ...[
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%zz',
    '%F0%9F%98%80',
    '%E2%80%AE',
    '__proto__',
    '%5B%5D',
    '%7B%7D',
    "'--",
  ],
  ...[
    'WyJ1c2VyIiwidSJd',
    'W10',
    'bnVsbA',
    '%E8%AE%B0'.repeat(500),
    'lemons%20'.repeat(2_000),
    'x'.repeat(60_000),
  ],
]

export const UNKNOWN_QUERIES: readonly string[] = [
  ...['page', '__proto__', 'constructor', 'limit[]', '', '%00', '%zz', 'LIMIT', 'x'.repeat(10_000)],
]

export const HEADER_VALUES: readonly string[] = [
  ...[
    '',
    '*',
    '"1"',
    '"2", "3"',
    'W/"1"',
    '"',
    '",',
    '1',
    '0',
    '-1',
    '9'.repeat(30),
    '1.1',
    'start',
    'null',
    'NaN',
  ],
  ...[
    's',
    'g',
    'nobody',
    'new',
    'whole',
    'group',
    'é\xff',
    '%F0%9F%98%80',
    '%00',
    '%',
    '%ED%A0%80',
    '__proto__',
  ],
  ...[
    'x'.repeat(256),
    'x'.repeat(8_000),
    'a, b',
    'a\tb',
    'bytes=0-1',
    'https://evil.example',
    'Bearer pal_x',
    'key-1',
  ],
  ...['application/json, text/event-stream', 'text/html', '2025-06-18', '2026-07-28', 'identity', 'gzip'],
]

/** Beside those that the document names. */
export const HEADER_NAMES: readonly string[] = [
  ...[
    'if-match',
    'if-none-match',
    'idempotency-key',
    'last-event-id',
    'x-palimpsest-session',
    'x-request-id',
  ],
  ...[
    'x-palimpsest-history',
    'x-palimpsest-kind',
    'accept',
    'content-encoding',
    'range',
    'origin',
    'host',
    'cookie',
  ],
  ...['authorization', 'x-api-key', 'x-forwarded-for', 'x-http-method-override', 'x-stainless-retry-count'],
  ...['mcp-protocol-version', 'mcp-session-id', 'content-type', 'if-modified-since'],
]
