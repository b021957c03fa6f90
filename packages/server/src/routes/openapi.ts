import { endpoint } from '../endpoint.ts'

/** The OpenAPI document. It describes its own call, too. */
export const describeApi = (document: () => object) =>
  endpoint({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    scopes: [],
    answers: { 200: 'OpenAPI 3.1' },
    handle: async () => ({ json: document() }),
  })
