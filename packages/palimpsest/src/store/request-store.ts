import type { RequestName, RequestState } from './repeatable-request.ts'

/** Requests of a server that may be repeated, and are carried out once. */
export interface RequestStore {
  /** Of two calls at once one begins it. One that was begun or answered and whose time is over is begun anew. */
  beginRequest(
    namespace: string,
    request: RequestName & { now: number; until: number },
  ): Promise<RequestState>
  /**
   * Keeps what is needed to answer again. Nothing, as with the next, where the time is over for which it was begun,
   * and somebody else has begun it since.
   */
  finishRequest(
    namespace: string,
    request: { name: string; begunUntil: number; answer: unknown; until: number },
  ): Promise<void>
  /** It failed, and may be carried out when it is repeated. */
  dropRequest(namespace: string, request: { name: string; begunUntil: number }): Promise<void>
}
