import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Admission } from '../admission.ts'
import { entityTag, isKnown } from '../entity-tags.ts'
import { methodNotAllowed, routeNotFound } from '../http-errors.ts'
import { acceptedEncoding } from './encoding.ts'
import type { PageFile } from './page-file.ts'
import type { PageFiles } from './page-files.ts'

/**
 * Nothing is loaded from elsewhere and nothing is inline, so that text written by a stranger can never run.
 */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // The index names its assets by their hashes. An old index would name files that are gone.
  'cache-control': 'no-cache',
}

/** An asset never changes: its name holds a hash of its content. */
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Palimpsest</title>
<h1>Palimpsest is running</h1>
<p>Its page, the inspector, is not built yet: run <code>npm run build</code>, and load this again.</p>
<p>The API works without it: <a href="/openapi.json">/openapi.json</a> describes every call.</p>
</html>
`

/**
 * Serves the inspector, a page that calls the API as any client does. The page itself needs
 * no key; it asks its reader for one.
 */
export function servePage(
  app: OpenAPIHono,
  { files, admission }: { readonly files: PageFiles; readonly admission: Admission },
): void {
  app.get('/', async context => {
    await admission.admitAnybody(context)
    const page = await files.page()
    if (page === null) return context.body(NOT_BUILT, 200, { 'content-type': 'text/html; charset=utf-8' })
    return answerWith(context, page.index, PAGE_HEADERS)
  })
  app.get('/assets/:name', async context => {
    await admission.admitAnybody(context)
    const file = (await files.page())?.assets.get(context.req.param('name'))
    if (file === undefined) throw routeNotFound(context)
    return answerWith(context, file, ASSET_HEADERS)
  })
  for (const path of ['/', '/assets/:name'])
    app.all(path, async context => {
      await admission.admitAnybody(context)
      context.header('allow', 'GET, HEAD')
      throw methodNotAllowed(context, 'GET, HEAD')
    })
}

async function answerWith(
  context: Context,
  file: PageFile,
  own: Readonly<Record<string, string>>,
): Promise<Response> {
  const wanted = acceptedEncoding(context.req.header('accept-encoding') ?? null)
  const { content, encoding, tag } = await file.packed(wanted)
  context.header('vary', 'accept-encoding', { append: true })
  const headers = { ...own, etag: entityTag(tag) }
  if (isKnown(context.req.header('if-none-match') ?? null, tag)) return context.body(null, 304, headers)
  return context.body(content, 200, {
    ...headers,
    'content-type': file.type,
    'content-length': String(content.length),
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  })
}
