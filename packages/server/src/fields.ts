import { z } from '@hono/zod-openapi'
import { namesWithin, SETTINGS } from 'palimpsest/internals/config/index'
import { OBJECT_NAMES } from 'palimpsest/internals/older-names'

/**
 * Building blocks of the schemas. The error message of each says what is
 * allowed; `problems.ts` adds the rest.
 */

export const text = (allowed = 'text') => z.string({ error: allowed })

export function wholeNumber(least: number, most?: number) {
  const bounds = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`
  const error = `a whole number ${bounds}`
  const number = z.int({ error }).min(least, { error })
  return most === undefined ? number : number.max(most, { error })
}

/** A whole number from a query, where every value is text. */
export function wholeNumberText(least: number, most?: number) {
  const bounds = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`
  const error = `a whole number ${bounds}`
  return z
    .string({ error })
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine(number => number >= least && number <= (most ?? Number.MAX_SAFE_INTEGER), { error })
    .openapi({ type: 'integer', minimum: least, ...(most !== undefined && { maximum: most }) })
}

export function oneOf<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: choices.join(', ') })
}

/** The older names of settings whose value is an object. */
const OBJECTS = Object.fromEntries(
  OBJECT_NAMES.filter(name => name.includes('.')).map(name => [
    name,
    z
      .unknown()
      .optional()
      .openapi({ type: 'object', description: 'For this request only: settings by their older names' }),
  ]),
)

/**
 * Settings for one request. The schema accepts any value: the settings' own schema checks them all at once.
 */
const ALL_OVERRIDES: Readonly<Record<string, z.ZodOptional<z.ZodUnknown>>> = Object.fromEntries([
  ...SETTINGS.filter(({ name }) => namesWithin('request').includes(name)).flatMap(setting =>
    [setting.name, ...setting.aliases].map(name => [
      name,
      z
        .unknown()
        .optional()
        .openapi({
          // A number may come as text, and the absence of a value as the text `none`.
          type: setting.type === 'string' ? ['string', 'null'] : [setting.type, 'string', 'null'],
          description: `For this request only: ${setting.help} (${setting.allowed})`,
        }),
    ]),
  ),
  ...Object.entries(OBJECTS),
])

/** Overrides for contexts, which fold nothing. */
export const CONTEXT_OVERRIDES = without('verbatimBelowTokens')

/** Overrides for messages and folds, which leave no room for a reply. */
export const OVERRIDES = without('outputReserve')

function without(setting: string): typeof ALL_OVERRIDES {
  return Object.fromEntries(Object.entries(ALL_OVERRIDES).filter(([name]) => name !== setting))
}
