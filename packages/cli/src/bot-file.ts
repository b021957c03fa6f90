import { dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hideSecrets } from '@palimpsest/bot/internals/channels/telegram/hide-token'
import { readText } from '@palimpsest/replay/internals/prices/read-text'
import { InvalidArgumentError, PalimpsestError } from 'palimpsest/internals/errors'
import { type BotConfig, readBotConfig } from './bot-config.ts'

const MODULES = ['.js', '.mjs', '.ts', '.mts']

/** The smallest file that runs. */
const EXAMPLE = `{
  "db": "bot.db",
  "channels": [{ "type": "telegram", "token": "\${TELEGRAM_TOKEN}" }]
}`

export function needsFile(problem: string): PalimpsestError {
  return new PalimpsestError(
    'invalid_argument',
    `${problem} A bot needs a file that says what it is. Save this as bot.json and run it with --config bot.json:\n\n${EXAMPLE}\n`,
    { field: '--config', allowed: `a file that ends in .json, ${MODULES.join(', ')}`, example: EXAMPLE },
  )
}

export async function readBotFile(file: string): Promise<BotConfig> {
  const path = resolve(file)
  const text = await readText(path, reason => needsFile(`${file} ${reason}.`))
  const given = isModule(file) ? await load(path, file) : parse(text, file)
  return readBotConfig(given, dirname(path))
}

function isModule(file: string): boolean {
  const extension = extname(file).toLowerCase()
  if (extension !== '.json' && !MODULES.includes(extension))
    throw new InvalidArgumentError('--config', file, `a file that ends in .json, ${MODULES.join(', ')}`)
  return extension !== '.json'
}

async function load(path: string, file: string): Promise<unknown> {
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(path).href)
  } catch (error) {
    throw new InvalidArgumentError(
      '--config',
      file,
      `a module that can be loaded (${hideSecrets(String(error))})`,
    )
  }
  if (module.default !== undefined) return module.default
  throw new InvalidArgumentError('--config', file, 'a module with a default export, the configuration')
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError('--config', file, `JSON (${withoutSource((error as Error).message)})`)
  }
}

/** Node's message may quote what stands around the mistake, for example a token. */
function withoutSource(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '')
}
