import type { CustomTypesConfig, PoolClient } from 'pg'

type Parse = (text: string) => unknown

const BOOLEAN = 16
const BYTES = 17
/**
 * Integers of 2, 4 and 8 octets. Our whole numbers stay in the range that a JavaScript number holds exactly.
 */
const INTEGERS = [21, 23, 20]
const REALS = [700, 701]
const OID = 26

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  ...[...INTEGERS, ...REALS, OID].map(type => [type, Number] as const),
  [BOOLEAN, text => text === 't'],
  [BYTES, bytesOf],
])

/**
 * How each query of ours reads values, whatever the pool or the whole program has set: many programs read
 * integers of 8 octets as texts or as `bigint`.
 */
export const VALUES: CustomTypesConfig = {
  getTypeParser: (type: number) => (PARSERS.get(type) ?? asItIs) as never,
}

/** A client that reads every answer in this way. */
export function readingValues(client: PoolClient): PoolClient {
  const query = (text: string, values?: unknown[]) =>
    client.query({ text, types: VALUES, ...(values && { values }) })
  return Object.create(client, { query: { value: query } })
}

function asItIs(text: string): string {
  return text
}

/** A role may have `bytea_output = escape`, in which a byte is a character or its octal number. */
function bytesOf(text: string): Uint8Array {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  const characters = text.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  )
  return Buffer.from(characters, 'latin1')
}
