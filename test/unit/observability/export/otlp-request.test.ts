import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExportSettings } from '../../../../src/observability/export/export-settings.ts'
import { sendOnce } from '../../../../src/observability/export/otlp-request.ts'
import { OtlpCollector, status } from '../../../support/telemetry/otlp-collector.ts'

let collector: OtlpCollector
let url: string
beforeEach(async () => {
  collector = await OtlpCollector.start()
  url = collector.url
})
afterEach(() => collector.close())

const post = () => {
  const settings: ExportSettings = {
    url,
    endpoint: url,
    headers: {},
    encoding: 'json',
    gzip: false,
    tls: {},
    timeoutMs: 10_000,
    resource: {},
  }
  return sendOnce(Buffer.from('{"resourceSpans":[]}'), settings, new AbortController().signal)
}
const send = (code: number, headers: Readonly<Record<string, string>> = {}) => {
  collector.answers.push(status(code, headers))
  return post()
}

test.each([429, 502, 503, 504])('status %i is retryable', async (code) => {
  expect(await send(code)).toMatchObject({ kind: 'retry', afterMs: undefined })
})

test.each([400, 401, 403, 404, 405, 408, 413, 415, 500, 501, 505])(
  'status %i is not retryable',
  async (code) => {
    expect(await send(code)).toMatchObject({ kind: 'refused', problem: expect.stringContaining(`${code}`) })
  },
)

test.each([
  ['0', 0],
  ['7', 7000],
  ['86400', 300_000],
  ['soon', undefined],
])('Retry-After: %s waits %s ms', async (header, afterMs) => {
  expect(await send(503, { 'retry-after': header })).toMatchObject({ kind: 'retry', afterMs })
})

test('Retry-After accepts a date', async () => {
  const outcome = await send(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
  const { afterMs = 0 } = outcome as { afterMs?: number }
  expect(afterMs).toBeGreaterThan(30_000)
  expect(afterMs).toBeLessThanOrEqual(60_000)
  expect(await send(429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' })).toMatchObject({ afterMs: 0 })
})

test('a refused connection is retryable', async () => {
  await collector.close()
  expect(await post()).toEqual({
    kind: 'retry',
    problem: 'Cannot reach the collector (ECONNREFUSED)',
    afterMs: undefined,
  })
})
