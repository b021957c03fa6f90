import { dirname, resolve } from 'node:path'
import { type Layer, policyOf, type Resolved, resolveSettings } from '../config/index.ts'
import { InvalidSettingsError } from '../errors.ts'
import type { Configuration } from '../palimpsest.ts'
import type { Responder } from '../runtime/responder.ts'
import { configurationOf } from '../server/configuration.ts'
import type { BotConfig } from './bot-config.ts'
import { shown } from './bot-fields.ts'
import { type DatabasePlace, databasePlace } from './database-place.ts'
import { responderOf } from './responder-of.ts'

/** The file's over the environment's; where neither names one, beside the file. */
export function placeOf({ store, db }: BotConfig, file: string, environment: Layer): DatabasePlace {
  const named = { ...(db !== undefined && { db }), ...(store !== undefined && { store }) }
  return databasePlace(named, environment, usual => resolve(dirname(file), usual))
}

/** What a bot is made of, everything but its store and its channels. */
export interface BotPlan {
  readonly configuration: Configuration
  readonly responder: Responder
  readonly workspace: string | null
  readonly warnings: readonly string[]
  /** What is told of it. */
  readonly summary: BotSummary
}

export interface BotSummary {
  readonly channels: readonly string[]
  /** What answers: a model, a search in the memory, or a function of the file. */
  readonly answers: 'model' | 'search' | 'own'
  readonly model: string | null
  readonly policy: string
  readonly namespace: string
}

/** The file's settings over those stored over the environment's. Throws where they do not fit together. */
export async function planBot(
  config: BotConfig,
  { stored, environment }: { readonly stored: Layer; readonly environment: Layer },
): Promise<BotPlan> {
  const resolved = resolveSettings({ session: config.settings, stored, environment })
  const { values } = resolved
  const configuration = await configurationOf(resolved).catch(error => {
    throw namingTheFile(error, resolved)
  })
  const { namespace, channels, instructions, tools, responder } = config
  const answering = { ...(instructions !== undefined && { instructions }), ...(tools && { tools }) }
  return {
    configuration,
    responder: responder ?? (await responderOf(resolved, answering)),
    workspace: values.workspace,
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

/** What stands in the file is named as it stands there. */
function namingTheFile(error: unknown, { sources }: Resolved): unknown {
  if (!(error instanceof InvalidSettingsError)) return error
  return new InvalidSettingsError(
    error.details.problems.map(problem =>
      sources[problem.setting] === 'session'
        ? { ...problem, setting: `settings.${problem.setting}`, value: shown(problem.value) }
        : problem,
    ),
  )
}
