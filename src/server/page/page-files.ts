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
 * While there is none, it is looked for each time: nobody has to start the server again after a build.
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

async function readPage(folder: string): Promise<Page | null> {
  const index = await readIfThere(join(folder, 'index.html'))
  if (index === null) return null
  const assets = join(folder, 'assets')
  const names = await namesIn(assets)
  const files = await Promise.all(
    names.map(async name => [name, new PageFile(name, await readFile(join(assets, name)))] as const),
  )
  return { index: new PageFile('index.html', index), assets: new Map(files) }
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
