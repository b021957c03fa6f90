/** A key as its holder has it: `pal_<id>_<secret>`. */
export interface WrittenKey {
  readonly id: string
  readonly secret: string
}

const PREFIX = 'pal_'

/** The secret is 32 bytes in base64url, so 43 characters. */
const FORM = /^pal_([2-9a-z]{8,32})_([\w-]{43})$/

export function writeKey({ id, secret }: WrittenKey): string {
  return `${PREFIX}${id}_${secret}`
}

/** `null`: the text is not a key. */
export function parseKey(text: string): WrittenKey | null {
  const [, id, secret] = FORM.exec(text) ?? []
  return id === undefined || secret === undefined ? null : { id, secret }
}

/**
 * The key that the caller sent, as `Authorization: Bearer …` or as `x-api-key: …`. `null`: there is no such
 * header, or the two headers differ and it is unclear which key is meant.
 */
export function sentKey(header: (name: string) => string | undefined): string | null {
  const authorization = header('authorization')
  const bearer = authorization === undefined ? undefined : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '')
  const plain = header('x-api-key')
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return null
  return bearer ?? plain ?? null
}
