/** A key as its holder has it: `pal_<id>_<secret>`. */
export interface WrittenKey {
  readonly id: string
  readonly secret: string
}

const PREFIX = 'pal_'

/** The secret is 32 bytes as base64url. */
const FORM = /^pal_([2-9a-z]{8,32})_([\w-]{43})$/

export function writeKey({ id, secret }: WrittenKey): string {
  return `${PREFIX}${id}_${secret}`
}

/** `null`: it is none. */
export function parseKey(text: string): WrittenKey | null {
  const [, id, secret] = FORM.exec(text) ?? []
  return id === undefined || secret === undefined ? null : { id, secret }
}

/**
 * What the caller sent: as `Authorization: Bearer …` or as `x-api-key: …`. `null`: nothing that could be a key, or two
 * that differ, of which nobody knows which one is meant.
 */
export function sentKey(header: (name: string) => string | undefined): string | null {
  const authorization = header('authorization')
  const bearer = authorization === undefined ? undefined : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '')
  const plain = header('x-api-key')
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return null
  return bearer ?? plain ?? null
}
