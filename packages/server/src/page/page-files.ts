import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PageFile } from './page-file.ts'

/** The built page. */
export interface Page {
  readonly index: PageFile
  /**
   * The assets by their names in the folder `assets`. No other name leads to a file, whatever a path says.
   */
  readonly assets: ReadonlyMap<string, PageFile>
}

/**
 * The built page. All of it is read at the first request, so that the index and its assets
 * come from one build. While there is no complete page, each request looks again, so the
 * server need not be restarted after a build.
 */
export class PageFiles {
  readonly #folder: string
  #read: Promise<Page | null> | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  async page(): Promise<Page | null> {
    this.#read ??= readPage(this.#folder)
    const reading = this.#read
    const page = await reading.catch(error => {
      if (this.#read === reading) this.#read = null
      throw error
    })
    if (page === null && this.#read === reading) this.#read = null
    return page
  }
}

/** `null`: there is no page, or a build has not finished it. */
async function readPage(folder: string): Promise<Page | null> {
  const index = await readIfThere(join(folder, 'index.html'))
  if (index === null) return null
  const assets = new Map<string, PageFile>()
  for (const name of await namesIn(join(folder, 'assets'))) {
    const content = await readIfThere(join(folder, 'assets', name))
    if (content !== null) assets.set(name, new PageFile(name, content))
  }
  const isWhole = assetsNamedIn(index).every(name => assets.has(name))
  return isWhole ? { index: new PageFile('index.html', index), assets } : null
}

function assetsNamedIn(index: Uint8Array): readonly string[] {
  const names = new TextDecoder().decode(index).matchAll(/"[^"]*\bassets\/([^"/?#]+)"/g)
  return Array.from(names, ([, name]) => name!)
}

/** Only plain files: a link might lead anywhere. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothingThere)
  return (entries ?? []).filter(entry => entry.isFile()).map(({ name }) => name)
}

async function readIfThere(file: string): Promise<Uint8Array | null> {
  return readFile(file).catch(nothingThere)
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
