/**
 * What `npm start` runs: builds the page where that is needed, makes a database with a few example conversations on the
 * first start, and serves both until Ctrl-C. No model, no key, no network. Settings of the environment hold as for
 * `palimpsest serve`.
 */
import { reportError } from '../packages/cli/src/report-error.ts'
import { serveUntilStopped } from '../packages/cli/src/serve-until-stopped.ts'
import { stopSignal } from '../packages/cli/src/stop-signal.ts'
import { environmentSettings } from '../packages/cli/src/stored-settings.ts'
import { Progress } from '../packages/cli/src/terminal.ts'
import { type Layer, resolveSettings } from '../packages/palimpsest/src/config/index.ts'
import { PalimpsestError } from '../packages/palimpsest/src/errors.ts'
import { seedNewDatabase } from './first-start.ts'
import { orphanSignal } from './orphan-signal.ts'

const terminal = { output: process.stdout, error: process.stderr }
const stopping = AbortSignal.any([stopSignal().signal, orphanSignal()])
process.exitCode = await start().then(
  () => 0,
  error => reportError(error, terminal),
)

async function start(): Promise<void> {
  const given = environmentSettings(terminal)
  // With rounds a newcomer sees the first fold after seven turns, and the person at this machine, as palimpsest chat
  // knows them, may share with everybody; whatever is stored or given comes over it.
  const usual = { policy: 'rounds', db: 'data/palimpsest.db', memoryOwner: 'terminal:local' }
  const environment: Layer = { ...usual, ...given }
  const { db, store, namespace } = resolveSettings({ environment }).values
  await buildPage()
  // Who has a server of his own has no use for examples in it.
  if (store === null && !stopping.aborted) await putExamplesIn(db, namespace)
  if (!stopping.aborted) await serve(environment, { isPortGiven: Object.hasOwn(given, 'port') })
}

/** Whatever is wrong with the page, the rest is there. */
async function buildPage(): Promise<void> {
  try {
    const { buildInspectorIfNeeded } = await import('./build-inspector.ts')
    await buildInspectorIfNeeded()
  } catch (error) {
    terminal.error.write(`warning: the page cannot be built, and is not there or old: ${String(error)}\n`)
  }
}

async function putExamplesIn(db: string, namespace: string): Promise<void> {
  const progress = new Progress(terminal, 'putting in example conversations')
  const onProgress = (share: number) => progress.update(share)
  const seeded = await seedNewDatabase(db, { namespace, onProgress, signal: stopping }).finally(() =>
    progress.end(),
  )
  if (seeded !== null)
    say(`First start: ${seeded.messages} messages of ${seeded.conversations} example conversations are in.`)
}

async function serve(environment: Layer, { isPortGiven }: { isPortGiven: boolean }): Promise<void> {
  const options = {
    terminal,
    stopping,
    onListening: ({ url }: { readonly url: string }, place: string) => say(welcome(url, place)),
    onStopping: () => say('\nFinishing what is under way …'),
  }
  try {
    await serveUntilStopped(environment, options)
  } catch (error) {
    if (isPortGiven || !isTaken(error)) throw error
    say(`Port ${error.details['port']} is taken, so it is on another one.`)
    await serveUntilStopped({ ...environment, port: 0 }, options)
  }
}

function isTaken(error: unknown): error is PalimpsestError {
  return PalimpsestError.isInstance(error) && error.details['reason'] === 'EADDRINUSE'
}

function welcome(url: string, place: string): string {
  return `
Palimpsest is at  ${url}

Open it in a browser: see how conversations settle into strata, and what a model
would be given; talk, search, edit what is remembered, and change when it folds.
For programs: ${url}/openapi.json, and docs/server.md.

All of it is kept in ${place}. Ctrl-C ends it.`
}

function say(text: string): void {
  terminal.output.write(`${text}\n`)
}
