import { describe, expect, it } from 'vitest'
import { exportSettings } from '../../../../src/observability/export/export-settings.ts'
import type { ExportSettings } from '../../../../src/observability/export/export-settings.ts'

const KEYS = { SERVICE_PUBLIC_KEY: 'pk', SERVICE_SECRET_KEY: 'sk' }
const BASIC = `Basic ${Buffer.from('pk:sk').toString('base64')}`

function settings(env: Readonly<Record<string, string>>): ExportSettings {
  const found = exportSettings(env)
  if (found === undefined || 'problem' in found) throw new Error(`No settings: ${JSON.stringify(found)}`)
  return found
}

describe('export settings', () => {
  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp' }, 'https://c.example/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp?x=1' }, 'https://c.example/otlp/v1/traces?x=1'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/here' }, 'http://c:4318/here'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' },
      'http://b/x',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://cloud.langfuse.com' },
      'https://cloud.langfuse.com/api/public/otel/v1/traces',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://us.cloud.langfuse.com/api/public/otel/' },
      'https://us.cloud.langfuse.com/api/public/otel/v1/traces',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://langfuse.com.evil.example' },
      'https://langfuse.com.evil.example/v1/traces',
    ],
  ])('%j exports to %s', (env, url) => {
    expect(settings(env).url).toBe(url)
  })

  it.each([
    [{}],
    [KEYS],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' }],
  ])('%j exports nothing', (env) => {
    expect(exportSettings(env)).toBeUndefined()
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http(s) URL'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://c' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an http(s) URL',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not http/json or http/protobuf',
    ],
  ])('%j is invalid, with the reason', (env, problem) => {
    expect(exportSettings(env)).toEqual({ problem })
  })

  it('use both keys as Basic credentials, and ignore a single key', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }
    expect(settings({ ...env, ...KEYS }).headers).toEqual({ authorization: BASIC })
    expect(settings({ ...env, SERVICE_PUBLIC_KEY: 'pk' }).headers).toEqual({})
    expect(settings({ ...env, ...KEYS, SERVICE_SECRET_KEY: ' ' }).headers).toEqual({})
  })

  it('use the headers of the variables; those for traces take precedence, also over the keys', () => {
    const env = {
      ...KEYS,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
      OTEL_EXPORTER_OTLP_HEADERS:
        'Authorization=Bearer%20t, x-a=1,x-b = two words ,bad name=1,x-bad=%0A,=,novalue',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2,x-c=100%',
    }
    expect(settings(env).headers).toEqual({
      authorization: 'Bearer t',
      'x-a': '2',
      'x-b': 'two words',
      'x-c': '100%',
    })
  })

  it('add the Langfuse header for Langfuse only, hosted or self-hosted', () => {
    const header = (endpoint: string) =>
      settings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).headers['x-langfuse-ingestion-version']
    expect(header('https://cloud.langfuse.com')).toBe('4')
    expect(header('http://localhost:3000/api/public/otel')).toBe('4')
    expect(header('https://otel.example')).toBeUndefined()
    expect(header('https://notlangfuse.com')).toBeUndefined()
  })

  it('use the credentials of the URL, and remove them from the endpoint', () => {
    const { url, endpoint, headers } = settings({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:p%40ss@c.example/otlp?token=secret',
    })
    expect(url).toBe('https://c.example/otlp/v1/traces?token=secret')
    expect(endpoint).toBe('https://c.example/otlp/v1/traces')
    expect(headers).toEqual({ authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` })
  })

  it('use the timeout, protocol, compression and resource of the variables', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }
    expect(settings(env)).toMatchObject({ timeoutMs: 10_000, encoding: 'json', gzip: false, resource: {} })
    expect(
      settings({
        ...env,
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '700',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment=pro%20d',
        OTEL_SERVICE_NAME: 'shop',
      }),
    ).toMatchObject({
      timeoutMs: 700,
      encoding: 'protobuf',
      gzip: true,
      resource: { 'service.name': 'shop', 'deployment.environment': 'pro d' },
    })
    for (const text of ['0', '-1', 'soon', ' '])
      expect(settings({ ...env, OTEL_EXPORTER_OTLP_TIMEOUT: text }).timeoutMs).toBe(10_000)
  })
})
