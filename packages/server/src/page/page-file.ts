import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { type Encoding, encode } from './encoding.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
}

/** These files are compressed already. */
const PACKED = ['.woff2', '.png']

/** A file in one encoding. */
interface Packed {
  readonly content: Uint8Array<ArrayBuffer>
  readonly encoding: Encoding
  /** The tag of these bytes. Each encoding has another tag, since its bytes differ. */
  readonly tag: string
}

/** A file of the page, read once. Each encoding is made at the first request for it, and kept. */
export class PageFile {
  readonly type: string
  readonly #content: Uint8Array
  readonly #isPacked: boolean
  readonly #hash: string
  readonly #packed = new Map<Encoding, Promise<Packed>>()

  constructor(name: string, content: Uint8Array) {
    this.type = TYPES[extname(name)] ?? 'application/octet-stream'
    this.#content = content
    this.#isPacked = PACKED.includes(extname(name))
    this.#hash = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  }

  packed(wanted: Encoding): Promise<Packed> {
    const encoding = this.#isPacked ? 'identity' : wanted
    const known = this.#packed.get(encoding)
    if (known) return known
    const made = this.#pack(encoding)
    this.#packed.set(encoding, made)
    return made
  }

  async #pack(encoding: Encoding): Promise<Packed> {
    const content = new Uint8Array(await encode(this.#content, encoding))
    return { content, encoding, tag: `${this.#hash}-${encoding}` }
  }
}
