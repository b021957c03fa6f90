import {
  type Layer,
  readStored,
  resolveSettings,
  type SettingValues,
} from 'palimpsest/internals/config/index'
import { InvalidArgumentError, PalimpsestError } from 'palimpsest/internals/errors'
import { describeSeveral } from 'palimpsest/internals/policy/index'
import type { CheckResult, Store } from 'palimpsest/internals/store/index'
import type { QueuePlace } from 'palimpsest/internals/store/postgres/boss'
import type { DoctorFlags } from './doctor.ts'
import { type DatabaseFlags, openAsItIs, openReadOnly, requireDatabase } from './existing-database.ts'
import { queueOf } from './fold-worker.ts'
import { inertLines } from './inert-text.ts'
import { withFlags } from './setting-flags.ts'
import { environmentSettings } from './stored-settings.ts'
import { NoResultError, Progress, type Terminal } from './terminal.ts'

type Finding = CheckResult

const OLDEST_NODE = 24

export async function runDoctor(flags: DoctorFlags, terminal: Terminal): Promise<void> {
  const { store: named, db: file, namespace } = flags
  const environment = withFlags(environmentSettings(terminal), { store: named, db: file })
  const { values } = resolveSettings({ environment })
  const { db, store: url } = values
  const place = queueOf(values)
  const findings: Finding[] = [nodeFinding()]
  requireDatabase({ db, ...(url !== null && { store: url }) })
  if (flags.forgetConsumer !== undefined) {
    const reader = { namespace, name: flags.forgetConsumer }
    findings.push(await forgetConsumer({ db, ...(url !== null && { store: url }) }, reader))
  }
  const store = await openReadOnly({ db, ...(url !== null && { store: url }) }).catch(error => {
    if (!PalimpsestError.isInstance(error)) throw error
    findings.push({ what: 'database', isWell: false, says: error.message })
    return null
  })
  if (store !== null)
    try {
      findings.push({ what: 'database', isWell: true, says: store.name })
      findings.push(...(await checkStore(store, flags, terminal)))
      findings.push(...(await settingsFindings(store, { namespace, environment })))
      if (place !== null) {
        const replays = flags.replay === true
        findings.push(await queueFinding(place, { replays }).catch(error => unreadFinding('queue', error)))
      }
    } finally {
      await store.close()
    }
  const isWell = findings.every(finding => finding.isWell)
  terminal.output.write(
    flags.json
      ? `${JSON.stringify({ isWell, findings })}\n`
      : `${findings.map(({ what, isWell, says }) => `${isWell ? 'ok  ' : 'BAD '} ${what}: ${inertLines(says)}`).join('\n')}\n`,
  )
  if (!isWell) throw new NoResultError('Not all is well.')
}

/** An unknown name is the caller's mistake: the command ends before it checks anything. */
async function forgetConsumer(
  database: DatabaseFlags,
  { namespace, name }: { namespace: string; name: string },
): Promise<Finding> {
  const store = await openAsItIs(database)
  try {
    if (!(await store.events.forgetConsumer(namespace, name)))
      throw new InvalidArgumentError(
        '--forget-consumer',
        name,
        `a known reader of the namespace ${namespace}`,
      )
  } finally {
    await store.close()
  }
  return {
    what: 'reader of events',
    isWell: true,
    says: `${name} is forgotten: nothing is kept for it any more`,
  }
}

/** Damaged data may not even be readable. The doctor reports that as a finding. */
async function checkStore(store: Store, flags: DoctorFlags, terminal: Terminal): Promise<readonly Finding[]> {
  const progress = new Progress(terminal, 'sessions')
  const onProgress = (done: number, all: number) => progress.update(done / all, `${done} of ${all}`)
  try {
    return (
      (await store.database.checkUp?.({ now: Date.now(), isDeep: flags.deep === true, onProgress })) ?? []
    )
  } catch (error) {
    return [unreadFinding('what is stored', error)]
  } finally {
    progress.end()
  }
}

function unreadFinding(what: string, error: unknown): Finding {
  if (!PalimpsestError.isInstance(error)) throw error
  return { what, isWell: false, says: error.message, details: { code: error.code } }
}

function nodeFinding(): Finding {
  const isWell = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE
  const says = isWell ? process.version : `${process.version}; it has to be ${OLDEST_NODE} or later`
  return { what: 'Node', isWell, says }
}

async function settingsFindings(
  store: Store,
  { namespace, environment }: { namespace: string; environment: Layer },
): Promise<readonly Finding[]> {
  const { layer: stored, problems } = readStored(await store.settings.readSettings(namespace))
  const wrong = problems.map(({ setting, allowed }) => `${setting} (allowed: ${allowed})`)
  const { values, unclear } = resolveSettings({ stored, environment })
  const { policy, model } = values
  wrong.push(...unclear.map(({ numbers }) => `policy (allowed: ${describeSeveral(numbers)})`))
  const isPeerThere = model === null || (await import('ai').then(Boolean, () => false))
  return [
    {
      what: 'settings',
      isWell: wrong.length === 0,
      says: wrong.length === 0 ? `policy ${policy}` : `stored, and not taken: ${wrong.join(', ')}`,
    },
    {
      what: 'summariser',
      isWell: isPeerThere,
      says: isPeerThere
        ? (model ?? 'extractive, without a model')
        : `${model} needs the package ai: npm install ai`,
    },
    ...(await spendingFindings(store, namespace, values)),
  ]
}

/** Empty where the settings set no limit, since nothing is counted then. */
async function spendingFindings(
  store: Store,
  namespace: string,
  limits: Pick<SettingValues, 'summaryCallsPerHour' | 'summaryTokensPerHour'>,
): Promise<readonly Finding[]> {
  const { summaryCallsPerHour: calls, summaryTokensPerHour: tokens } = limits
  const spending = await store.spending.readSpending(namespace, { now: Date.now() })
  return spending.map(each => {
    const isReached = isAtLeast(each.calls, calls) || isAtLeast(each.tokens, tokens)
    const used = `${of(each.calls, calls)} calls and ${of(each.tokens, tokens)} tokens of ${each.model} since ${new Date(each.since).toISOString()}`
    const says = isReached ? `${used}: until the hour is over folds are made without it` : used
    return { what: 'spend guard', isWell: !isReached, says, details: { ...each, limits: { calls, tokens } } }
  })
}

function isAtLeast(used: number, limit: number | null): boolean {
  return limit !== null && limit > 0 && used >= limit
}

function of(used: number, limit: number | null): string {
  return limit ? `${used} of ${limit}` : `${used}`
}

async function queueFinding(place: QueuePlace, { replays }: { replays: boolean }): Promise<Finding> {
  const { replayDead, reportQueue } = await import('palimpsest/internals/worker/queue-report')
  const replayed = replays ? await replayDead(place) : 0
  const report = await reportQueue(place)
  const { waiting, delayed, underWay, deadCount, dead } = report
  const lines = [
    `${waiting} waiting, ${delayed} delayed, ${underWay} under way, ${deadCount} given up`,
    ...(replays ? [`${replayed} put back`] : []),
    ...dead.map(
      ({ namespace, session, at, reason }) => `  ${at.toISOString()} ${namespace} ${session}: ${reason}`,
    ),
    ...(deadCount > 0 ? ['  Once the cause is mended: palimpsest doctor --replay'] : []),
  ]
  return { what: 'queue', isWell: deadCount === 0, says: lines.join('\n'), details: report }
}
