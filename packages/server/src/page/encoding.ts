import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** The encodings of an answer, the best first. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number] | 'identity'

/** The best encoding that the caller accepts. RFC 9110, section 12.5.3. */
export function acceptedEncoding(header: string | null): Encoding {
  const weights = new Map(
    (header ?? '').split(',').map(each => {
      const [name = '', ...parameters] = each.toLowerCase().split(';')
      const weight = parameters.map(text => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(text)?.[1]).find(text => text)
      return [name.trim(), Number(weight ?? 1)]
    }),
  )
  return ENCODINGS.find(name => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? 'identity'
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Runs off the main thread, since the best compression takes a while. */
export async function encode(content: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  switch (encoding) {
    case 'br':
      return compressBrotli(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      })
    case 'gzip':
      return compressGzip(content, { level: constants.Z_BEST_COMPRESSION })
    case 'identity':
      return content
  }
}
