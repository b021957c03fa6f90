import { Command, Option } from 'commander'
import { describeSettings, findSetting, SETTINGS } from 'palimpsest/internals/config/index'
import { jsonOption } from './options.ts'
import { serveUntilStopped } from './serve-until-stopped.ts'
import { flagName, withFlags } from './setting-flags.ts'
import { stopSignal } from './stop-signal.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

const FLAGS = [
  ...(['port', 'host', 'db', 'store', 'workspace', 'erasedList', 'namespace'] as const),
  ...(['allowedHosts', 'corsOrigins', 'trustProxy'] as const),
  ...(['backup', 'backupEvery', 'backupKeep', 'eventRetentionDays'] as const),
]

const START_ONLY = SETTINGS.filter(({ reach }) => reach === 'start').map(({ name }) => name)

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
Off this machine it does not start without keys: see palimpsest keys --help.

Settings from the environment, all of which can be changed with PUT /v1/settings but
${START_ONLY.slice(0, -1).join(', ')} and ${START_ONLY.at(-1)}:
${describeSettings()}

Examples:
  palimpsest serve --port 8787 --db palimpsest.db
  palimpsest serve --workspace ./memory
  palimpsest serve --backup /backups --backup-every 6h --backup-keep 28
  palimpsest keys create bot && palimpsest serve --host 0.0.0.0
  PALIMPSEST_POLICY=rounds PALIMPSEST_FULL_CONTEXT_TURNS=4 palimpsest serve`,
    )
    .action((flags: ServeFlags) => runServe(flags, terminal))
}

/** The flag has no default value, so that the environment's value holds. */
function flag(name: (typeof FLAGS)[number]): Option {
  const { help, default: usual } = findSetting(name)!
  return new Option(
    `${flagName(name)} <${wordOf(name)}>`,
    usual === null ? help : `${help} (default: ${usual})`,
  )
}

/** The placeholder for the value: the last word of the setting's name. */
function wordOf(name: string): string {
  return flagName(name).split('-').at(-1)!
}

async function runServe({ json, ...flags }: ServeFlags, terminal: Terminal): Promise<void> {
  await serveUntilStopped(withFlags(environmentSettings(terminal), flags), {
    terminal,
    stopping: stopSignal().signal,
    onListening: ({ url, host, port }, place) =>
      terminal.output.write(
        json
          ? `${JSON.stringify({ url, host, port, store: place, pid: process.pid })}\n`
          : `palimpsest serves ${place} on ${url} (Ctrl-C ends it)\n`,
      ),
    onStopping: () => {
      if (!json) terminal.error.write('palimpsest finishes what is under way …\n')
    },
  })
}
