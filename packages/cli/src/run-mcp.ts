import { FoldFailures } from '@palimpsest/server/internals/fold-failures'
import type { LiveSettings } from '@palimpsest/server/internals/live-settings'
import { type McpAccess, serveMcpOverStdio } from '@palimpsest/server/internals/mcp/index'
import { reserveOf } from '@palimpsest/server/internals/output-reserve'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { createPalimpsest, type SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Scope } from 'palimpsest/internals/store/index'
import { databasePlace } from './database-place.ts'
import { orClose, requireDatabase } from './existing-database.ts'
import { keepingOf } from './fold-worker.ts'
import { loadConfiguration } from './load-configuration.ts'
import type { McpFlags } from './mcp.ts'
import { openStore } from './options.ts'
import { programLog } from './program-log.ts'
import { stopSignal } from './stop-signal.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

const FOR_CLIENTS =
  'palimpsest mcp is started by an MCP client, which speaks to it here; --help shows how. Ctrl-C ends it.\n'

export async function runMcp(flags: McpFlags, terminal: Terminal): Promise<void> {
  const traits = traitsOf(flags)
  const stopping = stopSignal()
  try {
    await using memory = await openMemory(flags, terminal, traits)
    const access = memory.access()
    const { session, palimpsest } = access
    // Creates the session, so that its tools are known from the start.
    if (session !== undefined && !flags.readOnly) await palimpsest.session(session, traits).append([])
    const input = terminal.input ?? process.stdin
    if (input.isTTY) terminal.error.write(FOR_CLIENTS)
    await serveMcpOverStdio(access, {
      input,
      output: terminal.output,
      signal: stopping.signal,
      current: async () => {
        await memory.settings.refresh()
        return memory.access()
      },
    })
  } finally {
    stopping.end()
  }
}

interface OpenMemory extends AsyncDisposable {
  readonly settings: LiveSettings
  readonly access: () => McpAccess
}

/** Opens the memory with the settings that a server on the same database has. */
async function openMemory(flags: McpFlags, terminal: Terminal, traits: SessionOptions): Promise<OpenMemory> {
  const { namespace, session, readOnly } = flags
  const log = programLog(terminal)
  const environment = environmentSettings(terminal)
  const place = databasePlace(flags, environment)
  if (readOnly) requireDatabase(place)
  const store = await openStore(place)
  return orClose(store, async () => {
    const { configuration, settings } = await loadConfiguration(store, { namespace, environment, terminal })
    const failures = new FoldFailures(text => log(`warning: ${text}`))
    const palimpsest = await createPalimpsest({
      ...{ store, namespace, ...configuration },
      ...keepingOf(settings.current.values),
      onFold: failures.note.bind(failures),
      onError: (error, { sessionId }) => log.error(sessionId, error),
    })
    settings.onChange(configuration => palimpsest.configure(configuration))
    const scopes = new Set<Scope>(readOnly ? ['read'] : ['read', 'write'])
    const fixed = {
      ...{ palimpsest, scopes, version: version() },
      ...(session !== undefined && { session, traits }),
    }
    return {
      settings,
      access: () => ({
        ...fixed,
        ...reserveOf(settings.current, settings.current),
        onError: error => log.error('palimpsest mcp', error),
      }),
      [Symbol.asyncDispose]: () => palimpsest.close(),
    }
  })
}

function traitsOf({ session, kind, user, scope }: McpFlags): SessionOptions {
  const traits = {
    ...(kind && { kind }),
    ...(user !== undefined && { user }),
    ...(scope !== undefined && { scope }),
  }
  const [name] = Object.keys(traits)
  if (session === undefined && name !== undefined)
    throw new InvalidArgumentError(`--${name}`, traits[name as never], 'only with --session')
  return traits
}
