import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
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
  const started =
    system === undefined ? null : await start({ path: system, environment: {} }).catch(() => null)
  const browser = started ?? (await start(await carriedBrowser()))
  return { browser, close: () => browser.close() }
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

/** Chromium with the libraries and the fonts that a bare machine lacks, unpacked once. */
async function carriedBrowser(): Promise<Executable> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `No browser for ${process.platform}-${process.arch}: install Chromium or Google Chrome in one of ${SYSTEM_PATHS.join(', ')}`,
    )
  const entry = import.meta.resolve('@sparticuz/chromium')
  const { version } = JSON.parse(await readFile(new URL('../package.json', entry), 'utf8'))
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) await unpackInto(folder, fileURLToPath(new URL('../bin/', entry)))
  return {
    path: join(folder, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, FONTS_FILE),
    },
  }
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const FONTS_FILE = 'palimpsest.conf'

/**
 * The package unpacks into the temporary folder of the machine, whose name it asks for at once: for that moment it gets
 * one of ours. Whoever is first names it; nobody ever sees it half unpacked.
 */
async function unpackInto(folder: string, archives: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  await mkdir(CACHE, { recursive: true })
  const own = await mkdtemp(`${folder}-`)
  try {
    const { TMPDIR } = process.env
    process.env['TMPDIR'] = own
    const unpacking = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map(name =>
      inflate(join(archives, name)),
    )
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
    await Promise.all(unpacking)
    await configureFonts(own, folder)
    await rename(own, folder)
  } catch (error) {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** The machine's fonts and the carried one: without any font at all a page crashes. */
async function configureFonts(own: string, folder: string): Promise<void> {
  await writeFile(
    join(own, FONTS_FILE),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir>${join(folder, 'cache')}</cachedir>
</fontconfig>
`,
  )
}
