import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidArgumentError, PalimpsestError } from '../errors.ts'
import { type BotConfig, readBotConfig } from './bot-config.ts'

const MODULES = ['.js', '.mjs', '.ts', '.mts']

/** The least that runs. */
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
  const text = await readText(path, file)
  const given = isModule(file) ? await load(path, file) : parse(text, file)
  return readBotConfig(given, dirname(path))
}

function isModule(file: string): boolean {
  const extension = extname(file).toLowerCase()
  if (extension !== '.json' && !MODULES.includes(extension))
    throw new InvalidArgumentError('--config', file, `a file that ends in .json, ${MODULES.join(', ')}`)
  return extension !== '.json'
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
}

async function readText(path: string, file: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const reason = FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw needsFile(`${file} ${reason}.`)
  }
}

async function load(path: string, file: string): Promise<unknown> {
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(path).href)
  } catch (error) {
    throw new InvalidArgumentError('--config', file, `a module that can be loaded (${String(error)})`)
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

/** What Node says of JSON may quote what stands around the mistake: a token, say. */
function withoutSource(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '')
}
