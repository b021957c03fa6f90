import { PalimpsestError, StoreError } from '../../errors.ts'

function stateOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/**
 * The server itself refused a statement, and has undone its transaction. A broken connection is no refusal.
 */
export function isRefusal(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR'
}

/** Two transactions got in each other's way, or the same row was created twice at once: try again. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01', '23505', '55P03'].includes(stateOf(error))
}

/** A prepared statement is not known on its connection any more, or is known already. */
export function hasLostStatements(error: unknown): boolean {
  return ['26000', '42P05'].includes(stateOf(error))
}

export function toStoreError(error: unknown, name: string): unknown {
  if (PalimpsestError.isInstance(error)) return error
  const state = stateOf(error)
  if (isTransient(error))
    return new StoreError(
      'store_busy',
      name,
      'other transactions were in the way for too long. Nothing was stored; try again.',
      error,
    )
  if (isTimeout(error, state))
    return new StoreError(
      'store_failed',
      name,
      'a time-out of the server or of this role ended it (statement_timeout, transaction_timeout or ' +
        'idle_in_transaction_session_timeout). Give the role a longer one, or none.',
      error,
    )
  if (state === '25006')
    return new StoreError(
      'store_read_only',
      name,
      'the database takes no writes. Connect to the primary, or give this user the right to write.',
      error,
    )
  if (state === '42501')
    return new StoreError(
      'store_read_only',
      name,
      `this user may not do that (${(error as Error).message}). Connect as the owner of the tables, such as for "palimpsest ` +
        'migrate", or let the owner grant this user the rights on both schemas that docs/stores.md names.',
      error,
    )
  if (state.startsWith('53') && state !== '53300')
    return new StoreError(
      'store_full',
      name,
      'the server is out of disk or memory. Nothing was stored, and what was stored is safe.',
      error,
    )
  // A statement was prepared on one connection and is asked for on another, or it was taken away.
  if (hasLostStatements(error))
    return new StoreError(
      'store_failed',
      name,
      'a pooler on the way does not know prepared statements. With PgBouncer: 1.21 or later, max_prepared_statements ' +
        'above 0; or connect to the server itself. Who shares a pool with us must not take ours away (DISCARD ALL, ' +
        'DEALLOCATE ALL).',
      error,
    )
  if (state.startsWith('XX'))
    return new StoreError('store_corrupt', name, 'the database is damaged. Restore a backup.', error)
  const message = error instanceof Error ? error.message : ''
  if (/after calling end on the pool/.test(message))
    return new StoreError(
      'store_unavailable',
      name,
      'the pool was ended, so that nothing can be read or stored any more. Close Palimpsest first, and then end the pool.',
      error,
    )
  if (message === 'timeout exceeded when trying to connect')
    return new StoreError(
      'store_unavailable',
      name,
      'no connection of the pool became free in time. Give the pool more connections, or a longer ' +
        'connectionTimeoutMillis; and give back what you take out of it.',
      error,
    )
  if (isConnectionProblem(error, state))
    return new StoreError(
      'store_unavailable',
      name,
      'the server cannot be reached, or refused us. Check address, user, password and database.',
      error,
    )
  return error instanceof Error && state !== ''
    ? new StoreError('store_failed', name, error.message, error)
    : error
}

/**
 * For a time-out the server may also end the connection, which does not mean that it cannot be reached. A
 * cancel by an operator has the same code, but it is no time-out.
 */
function isTimeout(error: unknown, state: string): boolean {
  const isCancelled = state === '57014' && error instanceof Error && /timeout/.test(error.message)
  return isCancelled || ['25P03', '25P04'].includes(state)
}

function isConnectionProblem(error: unknown, state: string): boolean {
  return (
    /^(08|28|3D|57P|53300)/.test(state) ||
    /^(ECONN|EHOST|ENET|ENOTFOUND|EPIPE|EPROTO|ETIMEDOUT|EAI_|ERR_SSL|ERR_TLS|ERR_STREAM)/.test(state) ||
    (error instanceof Error && /connection|timeout exceeded|SASL/i.test(error.message))
  )
}
