import { hideInValue, hideSecrets } from '@palimpsest/bot/internals/channels/telegram/hide-token'
import { fillIn } from 'palimpsest/internals/config/index'
import type { SettingsProblem } from 'palimpsest/internals/errors'
import { nearestName } from 'palimpsest/internals/nearest-name'

/**
 * Checks one field of a bot's file and returns its value, or `undefined` where the field was refused. Every
 * problem is noted, so that all of them can be told at once.
 */
export type Field = (given: unknown, path: string, problems: Problems) => unknown

/**
 * What is wrong with a file. Values are shown as the file has them, before variables were filled in. Secrets
 * are never shown. A value under an unknown name, or in a wrong place, might be a secret, so it is hidden
 * too.
 */
export class Problems {
  readonly found: SettingsProblem[] = []

  refuse(path: string, value: unknown, allowed: string): undefined {
    this.found.push({ setting: path, value: shown(value), allowed })
  }

  /** Notes that reading failed: a getter of a module may throw any error. */
  refuseUnread(path: string, error: unknown): undefined {
    this.refuse(path, HIDDEN, `a value that can be read; reading it failed (${hideSecrets(String(error))})`)
  }

  has(path: string): boolean {
    return this.found.some(({ setting }) => setting === path)
  }

  refuseName(path: string, name: string, names: readonly string[]): undefined {
    const nearest = nearestName(name, names)
    const suggestion = nearest === null ? '' : `${nearest} (the nearest); `
    this.found.push({
      setting: path.slice(0, path.length - name.length) + hideInValue(name),
      value: HIDDEN,
      allowed: names.length === 1 ? names[0]! : suggestion + names.join(', '),
      isUnknown: true,
    })
  }
}

export const HIDDEN = '…'

export function shown(value: unknown): unknown {
  if (typeof value === 'string') return hideInValue(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : value
}

interface Rule {
  readonly allowed: string
  readonly accepts: (value: unknown) => boolean
  /** The value is never shown in an error. */
  readonly isSecret?: true
}

/** Fills in the variables of a text, or of the texts of a list, before it checks the value. */
export function checked({ allowed, accepts, isSecret }: Rule): Field {
  return (given, path, problems) => {
    const filled = filledIn(given, path, problems)
    if (filled === undefined || accepts(filled)) return filled
    return problems.refuse(path, isSecret ? HIDDEN : given, allowed)
  }
}

export function filledIn(given: unknown, path: string, problems: Problems): unknown {
  if (Array.isArray(given)) {
    const items = given.map((item, index) => filledIn(item, `${path}[${index}]`, problems))
    return items.some((item, index) => item === undefined && given[index] !== undefined) ? undefined : items
  }
  if (typeof given !== 'string') return given
  const filled = fillIn(given)
  if ('text' in filled) return filled.text
  // Only the variable is shown: a password may stand beside it.
  const missing = 'missing' in filled ? filled.missing : []
  for (const name of missing)
    problems.refuse(path, `\${${name}}`, `variables of the environment that are set; ${name} is not`)
  if (missing.length === 0) problems.refuse(path, '${', VARIABLE_RULE)
  return undefined
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the text shows what a file may hold.
const VARIABLE_RULE = '${NAME} with a name of letters, digits and _; $${ stands for ${ itself'

/** An object with these fields and no others. Each of them may be left out. */
export function objectOf(fields: Readonly<Record<string, Field>>): Field {
  const names = Object.keys(fields)
  return (given, path, problems) => {
    if (!isObject(given))
      return problems.refuse(path || 'the file', given, `an object with fields of ${names.join(', ')}`)
    const read: Record<string, unknown> = {}
    for (const name of Object.keys(given)) {
      const at = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(fields, name)) problems.refuseName(at, name, names)
      else {
        const taken = readField(fields[name]!, () => given[name], at, problems)
        if (taken !== undefined) read[name] = taken
      }
    }
    return read
  }
}

function readField(field: Field, get: () => unknown, path: string, problems: Problems): unknown {
  try {
    const value = get()
    return value === undefined ? undefined : field(value, path, problems)
  } catch (error) {
    return problems.refuseUnread(path, error)
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const text = (allowed = 'a text'): Field =>
  checked({ allowed, accepts: value => typeof value === 'string' && value.trim() !== '' })

export const aFunction: Field = checked({
  allowed: 'a function, which only a module can hold: name the file .mjs or .ts',
  accepts: value => typeof value === 'function',
})
