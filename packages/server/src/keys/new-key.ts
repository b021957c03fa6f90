import { randomInt } from 'node:crypto'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { ID_RULE, isId } from 'palimpsest/internals/log/index'
import { type ApiKey, SCOPES, type Scope } from 'palimpsest/internals/store/index'
import { hashSecret, newSecret } from './secret.ts'
import { writeKey } from './written-key.ts'

/** Without characters that are easily confused when a person reads an id aloud. */
const ID_CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz'
const ID_LENGTH = 10

const MAX_NAME = 100
const MAX_NAMESPACE = 200

export interface NewKey {
  /** The key as the store keeps it. */
  readonly key: ApiKey
  /** The key as its holder gets it. It is kept nowhere else. */
  readonly written: string
}

/** Makes a key. The name, namespace and scopes come from a person and are checked; a bad one is refused. */
export function newKey(of: {
  readonly name: string
  readonly namespace: string
  readonly scopes: readonly string[]
  readonly now: Date
}): NewKey {
  const name = checkName(of.name)
  const namespace = checkNamespace(of.namespace)
  const scopes = checkScopes(of.scopes)
  const id = Array.from({ length: ID_LENGTH }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('')
  const secret = newSecret()
  const key = { id, name, namespace, scopes, hash: hashSecret(secret), createdAt: of.now }
  return { key, written: writeKey({ id, secret }) }
}

/** Control characters, and characters that would make one line of a list look like another. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

function checkName(name: string): string {
  const length = [...name].length
  if (length >= 1 && length <= MAX_NAME && name.trim() === name && !UNPRINTABLE.test(name)) return name
  throw new InvalidArgumentError(
    'name',
    name,
    `1 to ${MAX_NAME} printable characters, without spaces around them`,
  )
}

function checkNamespace(namespace: string): string {
  if (!isId(namespace)) throw new InvalidArgumentError('namespace', namespace, ID_RULE)
  if (namespace.length <= MAX_NAMESPACE) return namespace
  throw new InvalidArgumentError('namespace', namespace, `at most ${MAX_NAMESPACE} characters`)
}

function checkScopes(given: readonly string[]): readonly Scope[] {
  const isScope = (scope: string): scope is Scope => SCOPES.includes(scope as Scope)
  const wrong = given.find(scope => !isScope(scope))
  if (wrong !== undefined || given.length === 0)
    throw new InvalidArgumentError('scope', wrong ?? '', `one or several of ${SCOPES.join(', ')}`)
  return SCOPES.filter(scope => given.includes(scope))
}
