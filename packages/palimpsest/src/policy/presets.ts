import { InvalidSettingsError } from '../errors.ts'
import type { Boundary, Policy } from './policy.ts'
import * as rule from './rules.ts'
import { readSettings, type SettingsInput, type SettingsOf } from './settings.ts'
import type { Tail } from './tail.ts'

/** Every preset has these parameters beside its own. A budget, once it is known, is part of every preset. */
const COMMON = {
  boundary: { default: 'message', oneOf: ['message', 'turn'], help: 'where a cut may fall' },
} as const

const BUDGET = {
  budget: { default: null, integer: true, above: 0, optional: true, help: 'tokens of a whole context' },
  lowWater: { default: 0.2, above: 0, below: 1, help: 'the share of the budget that a fold leaves' },
} as const

/**
 * The presets with their parameters: one table for types, defaults, checks and help. A rule with `offAtZero`
 * is off at or below zero.
 */
export const PRESETS = {
  resize: {
    ...COMMON,
    ...BUDGET,
    everyNTurns: {
      default: 8,
      integer: true,
      offAtZero: true,
      help: 'fold after so many turns',
    },
    maxMessagesTextLength: {
      default: 12_000,
      integer: true,
      offAtZero: true,
      help: 'fold at so many raw characters',
    },
    maxKeepMessagesCount: {
      default: null,
      integer: true,
      offAtZero: true,
      help: 'fold above so many raw messages, and keep so many',
    },
    turnUnit: { default: 'message', oneOf: ['message', 'reply'], help: 'what everyNTurns counts' },
  },
  count: {
    ...COMMON,
    ...BUDGET,
    threshold: { default: 20, integer: true, above: 0, help: 'fold above so many raw messages' },
    keepLast: { default: 10, integer: true, above: -1, help: 'and keep so many' },
  },
  rounds: {
    ...COMMON,
    ...BUDGET,
    fullContextTurns: { default: 4, integer: true, above: 0, help: 'A: turns that stay raw' },
    cachedContextTurns: { default: 3, integer: true, above: 0, help: 'B: turns that are folded at a time' },
  },
  window: {
    ...COMMON,
    ...BUDGET,
    contextSize: { default: 75, integer: true, above: 0, help: 'most raw messages in a context' },
    tailKeepSize: { default: 40, integer: true, above: 0, help: 'raw messages that stay' },
    compressionWindowSize: { default: 12, integer: true, above: 0, help: 'messages folded at a time' },
    compressionCooldownSec: {
      default: 900,
      offAtZero: true,
      help: 'seconds after a fold, when a smaller backlog is folded too',
    },
    compressionHardLimit: { default: 30, integer: true, above: 0, help: 'fold at this backlog in any case' },
  },
  tokens: {
    ...COMMON,
    ...BUDGET,
    budget: { default: 16_000, integer: true, above: 0, help: 'tokens of a whole context' },
    idleSec: {
      default: 300,
      offAtZero: true,
      help: 'seconds of silence after which the prompt cache is dead',
    },
  },
} as const

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]
export type PresetSettings<Name extends PresetName> = Partial<SettingsOf<(typeof PRESETS)[Name]>>

/** Checks a name from outside. The error names the wrong value and what is allowed. */
export function readPresetName(name: string): PresetName {
  if (PRESET_NAMES.includes(name as PresetName)) return name as PresetName
  throw new InvalidSettingsError([{ setting: 'policy', value: name, allowed: PRESET_NAMES.join(', ') }])
}

/** A preset by its name, with settings from outside. Older names and text values are allowed. */
export function presetFromSettings(name: PresetName, settings: SettingsInput = {}): Policy {
  switch (name) {
    case 'resize':
      return resizePolicy(settings)
    case 'count':
      return countPolicy(settings)
    case 'rounds':
      return roundsPolicy(settings)
    case 'window':
      return windowPolicy(settings)
    case 'tokens':
      return tokensPolicy(settings)
  }
}

export const resize = (settings: PresetSettings<'resize'> = {}): Policy => resizePolicy(settings)
export const count = (settings: PresetSettings<'count'> = {}): Policy => countPolicy(settings)
export const rounds = (settings: PresetSettings<'rounds'> = {}): Policy => roundsPolicy(settings)
export const window = (settings: PresetSettings<'window'> = {}): Policy => windowPolicy(settings)
export const tokens = (settings: PresetSettings<'tokens'> = {}): Policy => tokensPolicy(settings)

function resizePolicy(input: SettingsInput): Policy {
  const settings = readSettings(PRESETS.resize, input)
  const { everyNTurns, maxMessagesTextLength: length, maxKeepMessagesCount: keep, turnUnit } = settings
  return preset('resize', settings, {
    rules: [
      length !== null && rule.maxMessagesTextLength(length),
      keep !== null && rule.maxKeepMessagesCount(keep),
      everyNTurns !== null && rule.everyNTurns(everyNTurns, turnUnit),
    ],
    tail: {
      ...(keep !== null && { messages: keep }),
      ...(length !== null && { characters: Math.floor(length / 2) }),
      atLeast: 'message',
    },
  })
}

function countPolicy(input: SettingsInput): Policy {
  // If `keepLast` is left out, a smaller threshold lowers it.
  const isLeftOut = input['keepLast'] === undefined
  const settings = readSettings(PRESETS.count, input, ({ threshold, keepLast }) =>
    keepLast > threshold && !isLeftOut
      ? [{ setting: 'keepLast', value: keepLast, allowed: `at most threshold (${threshold})` }]
      : [],
  )
  return preset('count', settings, {
    rules: [rule.count(settings.threshold)],
    tail: { messages: Math.min(settings.keepLast, settings.threshold), atLeast: 'message' },
  })
}

function roundsPolicy(input: SettingsInput): Policy {
  const settings = readSettings(PRESETS.rounds, input)
  const { fullContextTurns, cachedContextTurns } = settings
  return preset('rounds', settings, {
    rules: [rule.rounds(fullContextTurns, cachedContextTurns)],
    tail: { turns: fullContextTurns, atLeast: 'turn' },
    extract: 'turn',
  })
}

function windowPolicy(input: SettingsInput): Policy {
  const settings = readSettings(PRESETS.window, input, ({ tailKeepSize, contextSize }) =>
    tailKeepSize >= contextSize
      ? [{ setting: 'tailKeepSize', value: tailKeepSize, allowed: `less than contextSize (${contextSize})` }]
      : [],
  )
  const { contextSize, tailKeepSize, compressionHardLimit, compressionCooldownSec } = settings
  const overflows = tailKeepSize + compressionHardLimit > contextSize
  return preset('window', settings, {
    rules: [
      rule.hardLimit(compressionHardLimit),
      rule.window(settings.compressionWindowSize),
      compressionCooldownSec !== null && rule.cooldown(compressionCooldownSec),
    ],
    tail: { messages: tailKeepSize, atLeast: 'message' },
    contextMessages: contextSize,
    warnings: overflows
      ? [
          `tailKeepSize (${tailKeepSize}) + compressionHardLimit (${compressionHardLimit}) is more than ` +
            `contextSize (${contextSize}): while folds fail, part of the backlog is only shown provisionally`,
        ]
      : [],
  })
}

function tokensPolicy(input: SettingsInput): Policy {
  const settings = readSettings(PRESETS.tokens, input)
  return preset('tokens', settings, {
    rules: [settings.idleSec !== null && rule.idle(settings.idleSec, settings.budget)],
    tail: rule.tailWithin(settings.budget, settings.lowWater),
  })
}

interface PresetParts {
  readonly rules: readonly (rule.Rule | false)[]
  readonly tail: Tail
  readonly extract?: 'turn'
  readonly contextMessages?: number
  readonly warnings?: readonly string[]
}

function preset(
  name: PresetName,
  common: { boundary: Boundary; budget: number | null; lowWater: number },
  parts: PresetParts,
): Policy {
  const { boundary, budget, lowWater } = common
  const rules = parts.rules.filter(rule => rule !== false)
  if (budget !== null) rules.push(rule.maxTokens(budget, lowWater))
  return {
    name,
    rules: rules.sort(rule.byPrecedence),
    tails: [parts.tail],
    boundary,
    extract: parts.extract ?? 'batch',
    contextMessages: parts.contextMessages ?? null,
    judges: [],
    warnings: parts.warnings ?? [],
  }
}
