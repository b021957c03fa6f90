import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PageFile } from './page-file.ts'

/** What the build made. */
export interface Page {
  readonly index: PageFile
  /** By their names in the folder `assets`: no other name leads to a file, whatever a path says. */
  readonly assets: ReadonlyMap<string, PageFile>
}

/**
 * The built page, read as a whole when somebody first asks for it, so that the index and its assets are of one build.
 * While there is none, or one is just being made, it is looked for each time: nobody has to start the server again
 * after a build.
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

/** `null`: there is none, or not all of it yet. */
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

/** Plain files only: a link might lead anywhere. */
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
