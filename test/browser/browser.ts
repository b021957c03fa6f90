import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium: the machine's own where there is one, otherwise the one that came with npm. */
export interface TestBrowser {
  readonly browser: Browser
  close(): Promise<void>
}

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Root may not use the sandbox, a container has little shared memory, and nothing may ask the network but this machine. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

interface Executable {
  readonly path: string
  readonly environment: NodeJS.ProcessEnv
}

/** A system's browser that does not start, such as Ubuntu's stub for a snap, is passed over. */
export async function launchBrowser(): Promise<TestBrowser> {
  const system = SYSTEM_PATHS.find(existsSync)
  if (system !== undefined) {
    const browser = await start({ path: system, environment: {} }).catch(() => null)
    if (browser) return { browser, close: () => browser.close() }
  }
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-browser-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const browser = await start(await unpackCarriedBrowser(folder))
    return { browser, close: () => browser.close().finally(removeFolder) }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

async function start({ path, environment }: Executable): Promise<Browser> {
  try {
    return await chromium.launch({
      executablePath: path,
      args: FLAGS,
      env: { ...process.env, ...environment },
    })
  } catch (error) {
    const { message } = error as Error
    const library = /loading shared libraries: ([^\s:]+)/.exec(message)?.[1]
    const reason = library === undefined ? message : `the library ${library} is missing`
    throw new Error(`${path} does not start: ${reason}. On Debian or Ubuntu: apt-get install chromium`, {
      cause: error,
    })
  }
}

/**
 * Chromium with the libraries and the fonts that a bare machine lacks. The package unpacks them into the
 * temporary folder of the machine, where two runs at once would find each other's half-written files; it asks
 * for that folder's name at once, so for that moment it gets one of ours.
 */
async function unpackCarriedBrowser(folder: string): Promise<Executable> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `No browser for ${process.platform}-${process.arch}: install Chromium or Google Chrome in one of ${SYSTEM_PATHS.join(', ')}`,
    )
  const { inflate } = await import('@sparticuz/chromium')
  const archives = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')))
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  const unpacking = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map(name =>
    inflate(join(archives, name)),
  )
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  const [path, libraries, fonts] = (await Promise.all(unpacking)) as [string, string, string]
  return {
    path,
    environment: {
      LD_LIBRARY_PATH: join(libraries, 'lib'),
      FONTCONFIG_FILE: await configureFonts(fonts),
    },
  }
}

/** The machine's fonts and the carried one: without any font at all a page crashes. */
async function configureFonts(folder: string): Promise<string> {
  const path = join(folder, 'palimpsest.conf')
  await writeFile(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir>${join(folder, 'cache')}</cachedir>
</fontconfig>
`,
  )
  return path
}
