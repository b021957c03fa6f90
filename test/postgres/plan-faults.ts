import type { PlanNode } from './explain.ts'

/** Tables that may be read as a whole, and why they stay small. */
const SMALL: Readonly<Record<string, string>> = {
  api_keys: 'made by hand, a few for each namespace',
  settings: 'a row for each setting that a namespace has of its own',
  mirrors: 'a row for each namespace with a folder',
  revision: 'one row',
  identity: 'one row',
  layout: 'one row',
  event_trim: 'one row',
  event_consumers: 'at most 100 for each namespace, forgotten when they are not seen any more',
  migrations: 'a row for each migration',
}

/** Indexes of what is under way, of which there is little at any time however large the tables are. */
const OF_WHAT_IS_UNDER_WAY: Readonly<Record<string, string>> = {
  sessions_building: 'forks and imports that are being written',
  sessions_erased: 'sessions that an erasure is taking away',
  sessions_forked: 'forks; read by forks and erasures only',
  segments_withheld: 'segments that are to be made anew after an erasure',
  erasures_open: 'erasures that are not done',
  facts_gone: 'facts that are to leave a document after an erasure',
  leases_held: 'extractions that run',
  waiting_in_order: 'messages to which an answer is owed',
}

/** Columns that name a whole namespace or a large part of it, by which alone nobody is to read. */
const WIDE = /\b(?:namespace|layer|ready) = /g
const NARROW = /[\w)] = /
/** All rows are read before the first one comes out. */
const BLOCKING = /^(Sort|Incremental Sort|Hash|Aggregate|HashAggregate|BitmapAnd|BitmapOr|Materialize)$/

/**
 * What would take longer with every session or message that is added. A scan is bounded if its index leads to one
 * session, document or name; others have to stop by themselves: a limit above them with nothing in between that
 * reads all of it first.
 */
export function planFaults(plan: PlanNode): readonly string[] {
  return visit(plan, { isLimited: false })
}

function visit(node: PlanNode, { isLimited }: { isLimited: boolean }): readonly string[] {
  const type = node['Node Type']
  const faults: string[] = []
  if (isScan(node) && !isBounded(node) && !(isLimited && isInOrder(node))) faults.push(describe(node))
  const below = { isLimited: type === 'Limit' || (isLimited && !BLOCKING.test(type)) }
  // Where all of an index's range is gathered first, the scan above it says what is read.
  for (const child of node.Plans ?? []) faults.push(...visit(child, below))
  return faults
}

function isScan(node: PlanNode): boolean {
  return node['Relation Name'] !== undefined && /Scan$/.test(node['Node Type'])
}

/** By one row's key, or one session's. */
function isBounded(node: PlanNode): boolean {
  if (node['Relation Name']! in SMALL) return true
  if (node['Node Type'] === 'Seq Scan') return false
  if (node['Index Name'] !== undefined && node['Index Name'] in OF_WHAT_IS_UNDER_WAY) return true
  return conditions(node).some(condition => isRange(condition) || NARROW.test(condition.replaceAll(WIDE, '')))
}

/** From one place to another, which the caller chose. */
function isRange(condition: string): boolean {
  return /[^<]> ?=?/.test(condition) && /< ?=?/.test(condition)
}

/** Whether rows come one after the other, in the order that is asked for, from the place where they begin. */
function isInOrder(node: PlanNode): boolean {
  if (!/^Index (Only )?Scan$/.test(node['Node Type'])) return false
  // Whatever else is filtered may fit none of them, and then all of them are read.
  return (node.Filter ?? '').replaceAll(/\(?ready [=<>]+ \S+/g, '').match(/\w/) === null
}

function conditions(node: PlanNode): readonly string[] {
  const own = node['Index Cond'] === undefined ? [] : [node['Index Cond']]
  const isBitmap = node['Node Type'].startsWith('Bitmap')
  return isBitmap ? [...own, ...(node.Plans ?? []).flatMap(conditions)] : own
}

function describe(node: PlanNode): string {
  const by = conditions(node).join(' or ') || 'nothing'
  return `${node['Node Type']} of ${node['Relation Name']} by ${by}${node.Filter ? `, filtered by ${node.Filter}` : ''}`
}
