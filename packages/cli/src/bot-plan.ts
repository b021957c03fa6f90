import { dirname, resolve } from 'node:path'
import type { Responder } from '@palimpsest/bot/internals/responder'
import { configurationOf } from '@palimpsest/server/internals/configuration'
import { type Layer, policyOf, type Resolved, resolveSettings } from 'palimpsest/internals/config/index'
import { InvalidSettingsError } from 'palimpsest/internals/errors'
import type { BotConfig } from './bot-config.ts'
import { shown } from './bot-fields.ts'
import { type DatabasePlace, databasePlace } from './database-place.ts'
import { keepingOf } from './fold-worker.ts'
import { responderOf } from './responder-of.ts'

/**
 * The place in the file wins over the place in the environment. The default is a database beside the bot's
 * file.
 */
export function placeOf({ store, db }: BotConfig, file: string, environment: Layer): DatabasePlace {
  const named = { ...(db !== undefined && { db }), ...(store !== undefined && { store }) }
  return databasePlace(named, environment, usual => resolve(dirname(file), usual))
}

/** Everything that a bot is made of, except its store and its channels. */
export interface BotPlan {
  readonly responder: Responder
  readonly workspace: string | null
  readonly keeping: ReturnType<typeof keepingOf>
  readonly warnings: readonly string[]
  /** What the log and the output tell about the bot. */
  readonly summary: BotSummary
}

export interface BotSummary {
  readonly channels: readonly string[]
  /** What answers: a model, a search in the memory, or a responder from the file. */
  readonly answers: 'model' | 'search' | 'own'
  readonly model: string | null
  readonly policy: string
  readonly namespace: string
}

export async function planBot(config: BotConfig, resolved: Resolved): Promise<BotPlan> {
  const { values } = resolved
  const { namespace, channels, instructions, tools, responder } = config
  const answering = { ...(instructions !== undefined && { instructions }), ...(tools && { tools }) }
  return {
    responder: responder ?? (await responderOf(resolved, answering)),
    workspace: values.workspace,
    keeping: keepingOf(values),
    warnings: policyOf(resolved).warnings,
    summary: {
      channels: channels.map(({ name }) => name),
      answers: responder ? 'own' : values.model === null ? 'search' : 'model',
      model: values.model,
      policy: values.policy,
      namespace,
    },
  }
}

/**
 * Checks the file's settings over the environment's, without a store. Throws where they do not fit together.
 */
export async function checkBot(config: BotConfig, environment: Layer): Promise<BotPlan> {
  const resolved = resolveSettings({ file: config.settings, environment })
  await namingTheFile(config, () => configurationOf(resolved))
  return planBot(config, resolved)
}

/** An error about a setting of the file names it by its place in the file. */
export async function namingTheFile<Result>(
  { settings }: BotConfig,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error
    throw new InvalidSettingsError(
      error.details.problems.map(problem =>
        Object.hasOwn(settings, problem.setting)
          ? { ...problem, setting: `settings.${problem.setting}`, value: shown(problem.value) }
          : problem,
      ),
    )
  }
}
