import { once } from 'node:events'
import { createRuntime } from '@palimpsest/bot'
import type { Channel } from '@palimpsest/bot/internals/channel'
import type { Responder } from '@palimpsest/bot/internals/responder'
import { FoldFailures } from '@palimpsest/server/internals/fold-failures'
import { LiveSettings } from '@palimpsest/server/internals/live-settings'
import { type Layer, type Resolved, resolveSettings } from 'palimpsest/internals/config/index'
import {
  ChannelFailedError,
  describeError,
  InvalidArgumentError,
  PalimpsestError,
} from 'palimpsest/internals/errors'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { BotFlags } from './bot.ts'
import type { BotConfig } from './bot-config.ts'
import { needsFile, readBotFile } from './bot-file.ts'
import { describeReply, reasonOf } from './bot-log.ts'
import { type BotPlan, type BotSummary, checkBot, namingTheFile, placeOf, planBot } from './bot-plan.ts'
import type { DatabasePlace } from './database-place.ts'
import { orClose } from './existing-database.ts'
import { followSettings } from './follow-settings.ts'
import { inertLine } from './inert-text.ts'
import { type BackupPlan, backupPlan, keepBackups } from './keep-backups.ts'
import { openStore } from './options.ts'
import { programLog } from './program-log.ts'
import { withFlags } from './setting-flags.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

export async function runBot(
  { config: file, check, json, ...flags }: BotFlags,
  terminal: Terminal,
): Promise<void> {
  if (file === undefined) throw needsFile('No --config was given.')
  const environment = environmentSettings(terminal)
  const read = await readBotFile(file)
  // A flag wins over the file.
  const config = { ...read, settings: { ...read.settings, ...withFlags({}, flags) } }
  const place = placeOf(config, file, environment)
  const backups = backupPlan(resolveSettings({ file: config.settings, environment }).values, place)
  const say = (words: string, summary: object) =>
    terminal.output.write(json ? `${JSON.stringify(summary)}\n` : `palimpsest bot: ${inertLine(words)}\n`)
  if (!check) return run(config, { place, environment, backups, say, terminal }).finally(exitSoon)
  const { summary, warnings } = await checkBot(config, environment)
  for (const warning of warnings) programLog(terminal)(`warning: ${warning}`)
  const [store] = await Promise.all([nameOf(place), ...config.channels.map(toChannel)])
  say(`${file} is right; would run ${describeBot(summary, store)}`, { ...summary, store })
}

const LINGER_MS = 200

/**
 * Everything is stored and closed by then. The program does not wait for a request that a platform or a model
 * never answers.
 */
function exitSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

interface Run {
  readonly place: DatabasePlace
  readonly environment: Layer
  readonly backups: BackupPlan | null
  readonly say: (words: string, summary: object) => void
  readonly terminal: Terminal
}

async function run(config: BotConfig, { place, environment, backups, say, terminal }: Run): Promise<void> {
  const log = programLog(terminal)
  const onError: OnError = (error, { sessionId }) => log(`${sessionId}: ${reasonOf(error)}`)
  const ending = endOfRun()
  const channels = await Promise.all(config.channels.map(toChannel))
  await using bot = await openBot(config, { place, environment, log, onError })
  const { palimpsest, plan, refresh } = bot
  const { inbox, privates, groups, turns, commands, belongsTo } = config
  const runtime = createRuntime({
    ...{ palimpsest, channels, responder: bot.responder, refresh },
    ...(inbox && { inbox }),
    ...(privates && { privates }),
    ...(groups && { groups }),
    ...(turns && { turns }),
    ...(commands && { commands }),
    ...(belongsTo && { belongsTo }),
    onReply: report => {
      if (report.outcome !== 'delivered') log(describeReply(report))
    },
    onError,
    onFatal: ending.fail,
  })
  const keeping = backups && keepBackups(backups, log)
  try {
    await runtime.start()
    const store = await nameOf(place)
    say(`${describeBot(plan.summary, store)}; Ctrl-C ends it`, { ...plan.summary, store, pid: process.pid })
    await ending.ended
    log('palimpsest finishes what is under way …')
  } finally {
    await keeping?.close()
    await runtime.stop()
  }
}

type OnError = (error: unknown, details: { readonly sessionId: string }) => void

interface OpenBot extends AsyncDisposable {
  readonly palimpsest: Palimpsest
  readonly plan: BotPlan
  /** Follows the settings as of the last `refresh`. */
  readonly responder: Responder
  /** Applies what another process has changed in the settings. */
  readonly refresh: () => Promise<void>
}

async function openBot(
  config: BotConfig,
  {
    place,
    environment,
    log,
    onError,
  }: Omit<Run, 'say' | 'terminal' | 'backups'> & { log: Log; onError: OnError },
): Promise<OpenBot> {
  const { namespace } = config
  const store = await openStore(place)
  return orClose(store, async () => {
    const onWarning = (warning: string) => log(`warning: ${warning}`)
    const settings = new LiveSettings({ store, namespace, environment, over: config.settings, onWarning })
    const configuration = await namingTheFile(config, () => settings.load())
    const plan = await planBot(config, settings.current)
    const { workspace, keeping, warnings, summary } = plan
    for (const warning of warnings) onWarning(warning)
    if (summary.answers === 'search') log(NO_MODEL)
    const failures = new FoldFailures(onWarning)
    const onFold = failures.note.bind(failures)
    const options = { store, namespace, ...configuration, onError, onFold }
    const palimpsest = await createPalimpsest({
      ...options,
      ...(workspace !== null && { workspace }),
      ...keeping,
    })
    const make = (resolved: Resolved) => planBot(config, resolved)
    const { current, refresh } = followSettings(settings, { palimpsest, made: plan, make })
    return {
      palimpsest,
      plan,
      responder: request => current().responder(request),
      refresh,
      [Symbol.asyncDispose]: () => palimpsest.close(),
    }
  })
}

type Log = (line: string) => void

const NO_MODEL =
  'no model is set: it answers with what it finds in its memory. For one, add to the file: ' +
  '"settings": { "model": "anthropic:…", "modelApiKey": "…" }'

async function toChannel(channel: BotConfig['channels'][number]): Promise<Channel> {
  if ('start' in channel) return channel
  const { type: _, ...options } = channel
  const { telegram } = await import('@palimpsest/bot/internals/channels/telegram/index')
  return telegram(options)
}

/** The place without its password. */
async function nameOf({ db, store }: DatabasePlace): Promise<string> {
  return store === undefined
    ? db
    : (await import('palimpsest/internals/store/postgres/index')).postgres(store).name
}

function describeBot({ channels, answers, model, policy }: BotSummary, store: string): string {
  const words = {
    model: `answers with ${model}`,
    search: 'answers from search',
    own: 'answers with a responder of its own',
  }
  return `${channels.join(', ')}; ${words[answers]}; policy ${policy}; memory in ${store}`
}

/**
 * Ends with the first Ctrl-C or SIGTERM, or with a channel that cannot go on. A second signal ends the
 * process at once.
 */
function endOfRun() {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const listening = new AbortController()
  const { signal } = listening
  const signals = ['SIGINT', 'SIGTERM'].map(name => once(process, name, { signal }))
  const ended = Promise.race([failed, ...signals]).finally(() => listening.abort())
  // A channel may fail before `ended` is awaited.
  ended.catch(() => {})
  return {
    ended,
    fail: (error: unknown, { channel }: { readonly channel: string }) => reject(channelError(error, channel)),
  }
}

/** For a wrong setting, names the setting and what it may be. The value is left out: it may be a token. */
function reasonToEnd(error: unknown): string {
  if (!(error instanceof InvalidArgumentError)) return describeError(error)
  const { field, allowed } = error.details
  return `${field}: allowed: ${allowed}`
}

function channelError(error: unknown, channel: string): PalimpsestError {
  if (error instanceof ChannelFailedError) return error
  const reason = reasonToEnd(error)
  const failed = new ChannelFailedError(channel, reason, error)
  // The error keeps its own code, since that gives a more exact exit code.
  return PalimpsestError.isInstance(error)
    ? new PalimpsestError(error.code, failed.message, error.details, { cause: error })
    : failed
}
