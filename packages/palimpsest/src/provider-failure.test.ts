import { describe, expect, test } from 'vitest'
import { providerAdvice, providerFailure } from './provider-failure.ts'

const body = (error: object) => JSON.stringify({ error })

describe('what a provider says, by its status and code', () => {
  test.each([
    [
      { statusCode: 429, responseBody: body({ type: 'insufficient_quota', code: 'insufficient_quota' }) },
      'insufficient_quota',
      'no_quota',
    ],
    [
      { statusCode: 429, responseBody: body({ type: 'requests', code: 'rate_limit_exceeded' }) },
      'rate_limit_exceeded',
      null,
    ],
    [
      { statusCode: 404, responseBody: body({ type: 'invalid_request_error', code: 'model_not_found' }) },
      'model_not_found',
      'no_such_model',
    ],
    [{ statusCode: 404, responseBody: '<h1>Not found</h1>' }, null, 'no_such_model'],
    [{ statusCode: 401, responseBody: body({ code: 'invalid_api_key' }) }, 'invalid_api_key', null],
    [
      { statusCode: 529, data: { type: 'error', error: { type: 'overloaded_error' } } },
      'overloaded_error',
      null,
    ],
    [
      {
        statusCode: 400,
        responseBody: body({ type: 'invalid_request_error', message: 'Your credit balance is too low to …' }),
      },
      'invalid_request_error',
      'no_quota',
    ],
    [{ statusCode: 402, responseBody: body({ message: 'Insufficient Balance' }) }, null, 'no_quota'],
    [
      {
        statusCode: 429,
        responseBody: `[${body({ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota' })}]`,
      },
      'RESOURCE_EXHAUSTED',
      null,
    ],
    [
      {
        statusCode: 400,
        responseBody: body({ status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }),
      },
      'API_KEY_INVALID',
      null,
    ],
    // Of the providers' own clients.
    [
      { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' },
      'insufficient_quota',
      'no_quota',
    ],
    [
      { status: 404, error: { type: 'error', error: { type: 'not_found_error' } } },
      'not_found_error',
      'no_such_model',
    ],
    // Where a stream fails on its way.
    [{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'overloaded_error', null],
    [{ statusCode: 400, responseBody: body({ code: 'the_vault_opens', type: 'LEMON' }) }, null, null],
    [null, null, null],
    ['insufficient_quota', null, null],
  ])('%j', (error, code, kind) => {
    expect(providerFailure(error)).toMatchObject({ code, kind })
  })

  test('a page that is no answer takes no time', () => {
    const before = performance.now()
    expect(
      providerFailure({
        statusCode: 400,
        message: 'insufficient '.repeat(1e6),
        responseBody: '['.repeat(5e6),
      }).code,
    ).toBeNull()
    expect(performance.now() - before).toBeLessThan(10_000)
  })

  test('advice names what can be done', () => {
    expect(providerAdvice('no_quota')).toContain('waiting does not help')
    expect(providerAdvice('no_such_model')).toContain('modelBaseUrl')
    expect(providerAdvice(null)).toBeNull()
  })
})
