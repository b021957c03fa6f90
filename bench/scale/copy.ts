import type { ClientBase, Connection, Submittable } from 'pg'

/** `pg` has no call for it, and its protocol is short. What it is given waits in memory until it is sent. */
export function copyIn(client: ClientBase, statement: string, chunks: Iterable<string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null
    const copying: Submittable & Record<string, unknown> = {
      submit: (connection: Connection) => connection.query(statement),
      handleCopyInResponse: (connection: CopyConnection) => {
        for (const chunk of chunks) connection.sendCopyFromChunk(Buffer.from(chunk))
        connection.endCopyFrom()
      },
      handleError: (error: Error) => {
        failure = error
        reject(error)
      },
      handleCommandComplete: () => {},
      handleReadyForQuery: () => {
        if (failure === null) resolve()
      },
    }
    client.query(copying)
  })
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
