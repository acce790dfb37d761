import { trace } from '@opentelemetry/api'
import diagnostics from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../src/lib/clock.ts'
import { createRedactor } from '../../../../src/lib/redact/redactor.ts'
import { SpanExport } from '../../../../src/observability/export/span-export.ts'
import { SpanFeed } from '../../../../src/observability/tracing/record/span-feed.ts'
import { Tracing } from '../../../../src/observability/tracing/tracing.ts'
import { OtlpCollector, plain, silence, status } from '../../../support/telemetry/otlp-collector.ts'

const KEYS = { SERVICE_PUBLIC_KEY: 'pk-1', SERVICE_SECRET_KEY: 'sk-hunter2' }
const BASIC = `Basic ${Buffer.from('pk-1:sk-hunter2').toString('base64')}`

let collector: OtlpCollector
const exports: SpanExport[] = []
beforeEach(async () => {
  collector = await OtlpCollector.start()
})
afterEach(async () => {
  for (const one of exports.splice(0)) await one.close(0)
  await collector.close()
})

function sending(env: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...KEYS }) {
  const lines: string[] = []
  const logger = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) }
  const tracing = new Tracing({
    capturesContent: () => true,
    redactor: createRedactor(() => ['sk-hunter2']),
    feed: new SpanFeed(),
  })
  const spans = new SpanExport({
    tracing: () => tracing,
    env,
    clock: systemClock,
    logger: logger as never,
    backoff: { firstMs: 5, maxMs: 20 },
    everyMs: 5,
  })
  exports.push(spans)
  spans.refresh()
  const record = (...names: string[]) => {
    for (const name of names) tracing.root.start(name, { attributes: { 'user.size': 3 } }).end()
  }
  return { spans, record, lines, env, tracing }
}

it('the collector receives spans in OTLP', async () => {
  const { spans, tracing } = sending({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    ...KEYS,
  })
  const outer = tracing.root.start('outer', { kind: 'server', attributes: { text: 'a', list: ['b', 'c'] } })
  const inner = outer.start('inner')
  inner.fail(new TypeError('no luck'))
  inner.end()
  outer.end()
  await spans.close(2000)
  const [request] = collector.requests
  expect(request).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: BASIC, 'content-type': 'application/json' },
  })
  expect(collector.resource).toMatchObject({
    'service.name': 'shop',
    'deployment.environment': 'test',
    'telemetry.sdk.name': 'opentelemetry',
  })
  const [first, second] = collector.spans
  expect(first).toMatchObject({
    name: 'inner',
    kind: 1,
    traceId: outer.spanIds?.traceId,
    parentSpanId: outer.spanIds?.spanId,
    status: { code: 2, message: 'no luck' },
  })
  expect(plain(first?.attributes ?? [])).toEqual({ 'error.type': 'TypeError' })
  expect(second).toMatchObject({ name: 'outer', kind: 2, spanId: outer.spanIds?.spanId })
  expect(plain(second?.attributes ?? [])).toMatchObject({ text: 'a' })
  expect(Number(second?.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(second?.startTimeUnixNano))
})

it('the status has the endpoint without credentials, and the time of the last success', async () => {
  const { spans, record } = sending()
  expect(spans.status).toEqual({
    enabled: true,
    endpoint: `${collector.url}/v1/traces`,
    lastSuccessAt: null,
    lastError: null,
    dropped: 0,
  })
  record('one')
  await expect.poll(() => spans.status.lastSuccessAt).not.toBeNull()
  expect(spans.status.dropped).toBe(0)
  expect(JSON.stringify(spans.status)).not.toContain('hunter2')
})

it('an export creates no spans, even when a library traces all requests', async () => {
  const { spans, tracing, record } = sending()
  tracing.register()
  const requests = vi.fn<() => void>(() => trace.getTracer('http').startSpan('POST').end())
  diagnostics.subscribe('http.client.request.start', requests)
  record('one')
  await expect.poll(() => collector.names).toEqual(['one'])
  record('two')
  await expect.poll(() => collector.names).toContain('two')
  await spans.close(2000)
  diagnostics.unsubscribe('http.client.request.start', requests)
  tracing.unregister()
  expect(requests).toHaveBeenCalledTimes(2)
  expect(collector.names).toEqual(['one', 'two'])
})

it('the count of dropped spans never decreases', async () => {
  const { spans, record, env } = sending({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  collector.answers.push(silence)
  record('held')
  await expect.poll(() => collector.requests.length).toBe(1)
  for (let n = 0; n < 3000; n++) record('more')
  const { dropped } = spans.status
  expect(dropped).toBeGreaterThan(0)
  env['OTEL_SERVICE_NAME'] = 'other'
  spans.refresh()
  expect(spans.status.dropped).toBe(dropped)
  await spans.close(10)
  expect(spans.status.dropped).toBeGreaterThanOrEqual(dropped)
})

it('exported spans contain no secrets', async () => {
  const { spans, tracing } = sending()
  const attributes = { note: 'the key is sk-hunter2', 'http.authorization': 'Bearer letmein' }
  tracing.root.start('secret', { attributes }).end()
  await spans.close(2000)
  expect(collector.names).toEqual(['secret'])
  expect(JSON.stringify(collector.spans)).not.toMatch(/hunter2|letmein/)
})

it('without an endpoint no span is exported or queued', async () => {
  const { spans, record } = sending(KEYS)
  record('one')
  expect(spans.status).toMatchObject({ enabled: false, endpoint: null, lastError: null, dropped: 0 })
  expect(spans.waiting).toBe(0)
})

it('changes of the settings are applied, and their removal', async () => {
  const { spans, record, env } = sending({})
  record('before')
  Object.assign(env, KEYS, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  spans.refresh()
  record('after')
  await expect.poll(() => collector.names).toEqual(['after'])
  spans.refresh()
  record('same settings')
  await expect.poll(() => collector.names).toEqual(['after', 'same settings'])
  record('still on its way')
  env['SERVICE_SECRET_KEY'] = 'other'
  spans.refresh()
  record('with the other key')
  await expect.poll(() => collector.names).toHaveLength(4)
  expect(new Set(collector.requests.map(({ headers }) => headers.authorization)).size).toBe(2)
  delete env['OTEL_EXPORTER_OTLP_ENDPOINT']
  spans.refresh()
  expect(spans.status.enabled).toBe(false)
})

it('invalid settings are logged once', () => {
  const { spans, lines } = sending({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })
  spans.refresh()
  expect(spans.status).toMatchObject({
    enabled: false,
    endpoint: null,
    lastError: 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http(s) URL',
  })
  expect(lines).toEqual(['Spans are not exported: OTEL_EXPORTER_OTLP_ENDPOINT is not an http(s) URL'])
})

it.each([429, 502, 503, 504])('a batch is retried after status %i', async (code) => {
  const { spans, record, lines } = sending()
  collector.answers.push(status(code), status(code))
  record('patience')
  await expect.poll(() => spans.status.lastError).toContain(String(code))
  await expect.poll(() => collector.names).toEqual(['patience'])
  await expect.poll(() => spans.status.lastError).toBeNull()
  expect(collector.requests).toHaveLength(3)
  expect(spans.status.dropped).toBe(0)
  expect(lines).toEqual([
    expect.stringMatching(/^Cannot export spans to .*: The collector responded with/),
    `Spans are exported to ${collector.url}/v1/traces again`,
  ])
})

it('a retry waits for the Retry-After of the collector', async () => {
  const { record } = sending()
  collector.answers.push(status(429, { 'retry-after': '1' }))
  record('later')
  await expect.poll(() => collector.names).toEqual(['later'])
  const [first, second] = collector.requests.map(({ at }) => at)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(990)
})

it.each([
  [401, 'check SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY'],
  [403, 'check SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY'],
  [404, 'check the path of the endpoint'],
  [400, '400'],
  [408, '408'],
  [500, '500'],
])('a batch is dropped and counted after status %i, and the error has a hint', async (code, hint) => {
  const { spans, record } = sending()
  collector.answers.push(status(code))
  record('a', 'b')
  await expect.poll(() => spans.status.lastError).toContain(hint)
  expect(spans.status.dropped).toBe(2)
  record('c')
  await expect.poll(() => spans.status.lastError).toBeNull()
  expect(collector.names).toEqual(['c'])
  expect(spans.status.dropped).toBe(2)
})

it('redirects are not followed with credentials', async () => {
  const elsewhere = await OtlpCollector.start()
  const { spans, record } = sending()
  for (const code of [301, 302, 307, 308]) collector.answers.push(status(code, { location: elsewhere.url }))
  record('secret')
  await expect.poll(() => spans.status.lastError).toContain('redirects are not followed')
  expect(elsewhere.requests).toEqual([])
  await elsewhere.close()
})

it('an unreachable collector costs the spans and nothing else', async () => {
  const { url } = collector
  await collector.close()
  const { spans, record } = sending({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  record('lost')
  await expect.poll(() => spans.status.lastError).toContain('Cannot reach the collector (ECONNREFUSED)')
  await expect.poll(() => spans.status.dropped).toBe(1)
  for (let n = 0; n < 10_000; n++) record('more')
  expect(spans.waiting).toBeLessThanOrEqual(2048)
  await expect.poll(() => spans.status.dropped).toBeGreaterThan(5000)
  const began = performance.now()
  await spans.close(1000)
  expect(performance.now() - began).toBeLessThan(10_000)
})

it('a request times out, and does not delay closing', async () => {
  const { spans, record, lines, env } = sending({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '250',
  })
  collector.answers.push(silence)
  record('slow')
  // in the log: the status no longer has it once the next attempt has succeeded
  await expect
    .poll(() => lines)
    .toContainEqual(expect.stringContaining('The collector did not respond within 250 ms'))
  await expect.poll(() => collector.names).toEqual(['slow'])
  env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '3600000'
  spans.refresh()
  for (let n = 0; n < 9; n++) collector.answers.push(silence)
  record('never')
  // the test would time out if closing waited for the request
  await spans.close(100)
  expect(spans.status.dropped).toBe(1)
})

it('a kept-alive connection that the collector closes is opened again', async () => {
  const { spans, record, lines } = sending()
  record('one')
  await expect.poll(() => collector.names).toEqual(['one'])
  collector.answers.push((response) => response.socket?.destroy())
  record('two')
  await expect.poll(() => collector.names).toEqual(['one', 'two'])
  expect(collector.requests).toHaveLength(3)
  expect([spans.status.lastError, lines]).toEqual([null, []])
})

it('a collector can have a private certificate and require a client certificate', async () => {
  const file = (name: string) => fileURLToPath(new URL(`../../../support/tls/${name}.pem`, import.meta.url))
  const [key, cert] = [readFileSync(file('key')), readFileSync(file('cert'))]
  const seen: string[] = []
  const options = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true }
  const secure = createServer(options, (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`
  const { spans, record, env } = sending({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  record('one')
  await expect
    .poll(() => spans.status.lastError)
    .toContain('Cannot reach the collector (DEPTH_ZERO_SELF_SIGNED')
  Object.assign(env, {
    OTEL_EXPORTER_OTLP_CERTIFICATE: file('cert'),
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file('cert'),
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: file('key'),
  })
  spans.refresh()
  record('two')
  await expect.poll(() => spans.status.lastSuccessAt).not.toBeNull()
  expect(seen).toEqual(['POST /v1/traces'])
  env['OTEL_EXPORTER_OTLP_CERTIFICATE'] = '/nowhere.pem'
  spans.refresh()
  record('three')
  await expect.poll(() => spans.status.lastError).toBe('Cannot read the certificate /nowhere.pem (ENOENT)')
  await spans.close(0)
  secure.close()
})

it('queued spans are sent on close', async () => {
  const { spans, record } = sending()
  record('last words')
  await spans.close(2000)
  expect(collector.names).toEqual(['last words'])
})

it('spans that the collector rejects are counted', async () => {
  const { spans, record } = sending()
  const body = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'
  collector.answers.push(status(200, { 'content-type': 'application/json' }, body))
  record('a', 'b', 'c')
  await expect.poll(() => spans.status.dropped).toBe(2)
  expect(spans.status.lastError).toBe('The collector rejected some spans: too old')
})

it('large batches are split', async () => {
  const { spans, tracing } = sending()
  const text = 'x'.repeat(30_000)
  for (let n = 0; n < 300; n++) tracing.root.start(`s${n}`, { attributes: { text } }).end()
  await spans.close(5000)
  expect(new Set(collector.names).size).toBe(300)
  expect(Math.max(...collector.requests.map(({ body }) => body.length))).toBeLessThan(3.2 * 1024 * 1024)
})

it('bodies are gzipped and in protobuf when the variables are set', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
  const zipped = sending({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' })
  zipped.record('small')
  await zipped.spans.close(2000)
  expect(collector.requests[0]?.headers['content-encoding']).toBe('gzip')
  expect(collector.names).toEqual(['small'])
  const binary = sending({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })
  binary.record('a name in protobuf')
  await binary.spans.close(2000)
  const request = collector.requests[1]
  expect(request?.headers['content-type']).toBe('application/x-protobuf')
  // protobuf puts a tag and the length before a string: field 5 of a span is its name
  expect(request?.body.includes(Buffer.from('\x2a\x12a name in protobuf', 'latin1'))).toBe(true)
})
