import { Command, Option } from 'commander'
import {
  describeSettings,
  findSetting,
  type Layer,
  readEnvironment,
  resolveSettings,
} from '../config/index.ts'
import { InvalidSettingsError, type SettingsProblem } from '../errors.ts'
import { jsonOption, openStore } from './options.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

const FLAGS = ['port', 'host', 'db', 'store', 'workspace'] as const

type ServeFlags = Partial<Readonly<Record<(typeof FLAGS)[number], string>>> & { readonly json?: true }

export function serveCommand(terminal: Terminal): Command {
  const command = new Command('serve').description(
    'Serve this memory over HTTP, on this machine only by default.',
  )
  for (const name of FLAGS) command.addOption(flag(name))
  return command
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Settings from the environment, all of which but ${FLAGS.slice(0, -1).join(', ')} and ${FLAGS.at(-1)} can be changed with PUT /v1/settings:
${describeSettings()}

Examples:
  palimpsest serve --port 8787 --db palimpsest.db
  palimpsest serve --workspace ./memory
  PALIMPSEST_POLICY=rounds PALIMPSEST_FULL_CONTEXT_TURNS=4 palimpsest serve`,
    )
    .action((flags: ServeFlags) => runServe(flags, terminal))
}

/** Without a default of its own, so that the environment's holds. */
function flag(name: (typeof FLAGS)[number]): Option {
  const { help, default: usual } = findSetting(name)!
  return new Option(`--${name} <${name}>`, usual === null ? help : `${help} (default: ${usual})`)
}

async function runServe({ json, ...flags }: ServeFlags, terminal: Terminal): Promise<void> {
  const warn = (warning: string) => terminal.error.write(`warning: ${warning}\n`)
  const { layer, warnings } = readEnvironment()
  for (const warning of warnings) warn(warning)
  const environment: Record<string, unknown> = { ...layer, ...readFlags(flags) }
  // Who names a file means it, whatever database the environment names.
  if (flags.db !== undefined && flags.store === undefined) environment['store'] = null
  const { db, store: url, host, port, workspace } = resolveSettings({ environment }).values
  const store = await openStore({ db, ...(url !== null && { store: url }) })
  // Loaded only now: other commands do without.
  const { startServer } = await import('../server/index.ts')
  const stop = stopSignal()
  const server = await startServer({
    store,
    host,
    port,
    ...(workspace !== null && { workspace }),
    environment,
    version: version(),
    onWarning: warn,
    onError: (error, { requestId, method, path }) =>
      terminal.error.write(
        `${requestId} ${method} ${path}: ${error instanceof Error ? error.stack : String(error)}\n`,
      ),
  })
  if (!server.isLoopback)
    warn(`whoever can reach ${server.url} can read and change everything: it asks nobody for a key`)
  const place = url === null ? db : store.name
  terminal.output.write(
    json
      ? `${JSON.stringify({ url: server.url, host: server.host, port: server.port, store: place, pid: process.pid })}\n`
      : `palimpsest serves ${place} on ${server.url} (Ctrl-C ends it)\n`,
  )
  await stop
  if (!json) terminal.error.write('palimpsest finishes what is under way …\n')
  await server.close()
}

function readFlags(flags: Omit<ServeFlags, 'json'>): Layer {
  const layer: Record<string, unknown> = {}
  const problems: SettingsProblem[] = []
  for (const [name, text] of Object.entries(flags)) {
    const read = findSetting(name)!.read(text)
    if ('value' in read) layer[name] = read.value
    else problems.push({ setting: `--${name}`, value: text, allowed: read.allowed })
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems)
  return layer
}

/** The first Ctrl-C or SIGTERM; a second one ends the process at once, as everywhere. */
function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    const onSignal = () => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
