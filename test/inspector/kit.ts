import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { type MessageInput, sqlite } from '../../packages/palimpsest/src/index.ts'
import { type AppOptions, startServer } from '../../packages/server/src/index.ts'
import { launchBrowser } from '../browser/browser.ts'

const DESKTOP = { width: 1280, height: 900 }
export const PHONE = { width: 400, height: 800 }

/** What a test of the page needs: a real server on a file of its own, and a real browser. */
export interface Ground extends AsyncDisposable {
  readonly url: string
  /**
   * In a browser of its own, which shares nothing with the others, until the test ends: a page that stays goes on asking
   * the server. Whatever it says that it should not is `trouble`.
   */
  open(hash: string, options?: BrowserContextOptions): Promise<OpenedPage>
  call(method: string, path: string, body?: unknown): Promise<unknown>
  append(sessionId: string, ...messages: readonly MessageInput[]): Promise<void>
}

interface OpenedPage {
  readonly page: Page
  /** Messages of the console, errors, and requests to anywhere else. */
  readonly trouble: readonly string[]
}

export async function layGround(options: Partial<AppOptions> = {}): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-inspector-test-'))
  const server = await startServer({
    store: sqlite(join(folder, 'test.db')),
    port: 0,
    inspector: inject('inspectorPage'),
    ...options,
  })
  const chromium = await launchBrowser()
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  return {
    url: server.url,
    call,
    append: async (sessionId, ...messages) => {
      await call('POST', `/v1/sessions/${encodeURIComponent(sessionId)}/messages`, { messages })
    },
    open: async (hash, contextOptions) => {
      const context = await chromium.browser.newContext({ viewport: DESKTOP, ...contextOptions })
      onTestFinished(() => context.close())
      const page = await context.newPage()
      const trouble: string[] = []
      page.on('console', message => trouble.push(message.text()))
      page.on('pageerror', error => trouble.push(String(error)))
      page.on('request', request => {
        if (!request.url().startsWith(server.url)) trouble.push(request.url())
      })
      await page.goto(`${server.url}/${hash}`)
      return { page, trouble }
    },
    [Symbol.asyncDispose]: async () => {
      await chromium.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
