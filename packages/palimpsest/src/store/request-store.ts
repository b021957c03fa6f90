import type { RequestName, RequestState } from './repeatable-request.ts'

/** Requests of a server that a client may repeat, and that are carried out once. */
export interface RequestStore {
  /**
   * Begins a request. If two calls come at once, one of them begins it. A request whose time is over is begun
   * anew, whether it was only begun or was answered.
   */
  beginRequest(
    namespace: string,
    request: RequestName & { now: number; until: number },
  ): Promise<RequestState>
  /**
   * Keeps what is needed to answer again. This call and `dropRequest` do nothing in one case: the time of the
   * request is over, and another caller has begun it again since.
   */
  finishRequest(
    namespace: string,
    request: { name: string; begunUntil: number; answer: unknown; until: number },
  ): Promise<void>
  /** Notes that the request failed. It may be carried out when it is repeated. */
  dropRequest(namespace: string, request: { name: string; begunUntil: number }): Promise<void>
}
