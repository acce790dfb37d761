import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { clientCode, curlCode, shellQuote, fetchCode } from '../../../../src/console/code/request-code.ts'

const url = 'http://127.0.0.1:3141/workflows/order/execute'
const body = JSON.stringify({ input: { note: `it's $(id) "quoted" \\ \`x\`\nnew line` } })

describe('curlCode', () => {
  it('quotes the request for the shell', () => {
    const code = curlCode({ method: 'POST', url, body, headers: { 'X-Said': `it's $HOME` } })
    const script = `curl() { printf '%s\\n' "$@"; }\n${code}`
    const received = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
    expect(received).toContain(`${body}\n`)
    expect(received).toContain(`X-Said: it's $HOME\n`)
    expect(received).toContain('Content-Type: application/json\n')
    expect(received).not.toContain('POST')
  })

  it('refers to credentials by variable and does not include them', () => {
    expect(curlCode({ method: 'GET', url, credential: 'token' })).toContain(
      '"Authorization: Bearer $ACCESS_TOKEN"',
    )
    expect(curlCode({ method: 'GET', url, credential: 'key' })).toContain('$SERVICE_CONSOLE_ACCESS_KEY')
    expect(curlCode({ method: 'GET', url })).toBe(`curl -sN ${url}`)
    expect(curlCode({ method: 'DELETE', url })).toContain('-X DELETE')
  })
})

describe('fetchCode and clientCode', () => {
  it('sends the same request as fetch code', async () => {
    const code = fetchCode({ method: 'POST', url, body, headers: { 'X-Said': 'a"b' }, credential: 'bypass' })
    const sent = (await run(code)) as [
      string,
      { method: string; body: string; headers: Record<string, string> },
    ]
    expect(sent[0]).toBe(url)
    expect(JSON.parse(sent[1].body)).toEqual(JSON.parse(body))
    expect(sent[1].headers).toEqual({
      'Content-Type': 'application/json',
      'X-Said': 'a"b',
      'x-service-dev': 'true',
    })
  })

  it('calls the client with the given parts only', () => {
    const call = { params: { id: 'order' }, query: {}, body: { input: {} } }
    const code = clientCode({
      key: 'streamWorkflow',
      call,
      isStream: true,
      baseUrl: 'http://h/',
      credential: 'token',
    })
    expect(code).toContain('token: process.env.ACCESS_TOKEN')
    expect(code).toContain('for await (const event of client.streamWorkflow({')
    expect(code).not.toContain('query')
  })
})

describe('shellQuote', () => {
  it('quotes only words with special characters', () => {
    expect(shellQuote('lookup-order')).toBe('lookup-order')
    expect(shellQuote('')).toBe(`''`)
    expect(shellQuote(`a'b`)).toBe(`'a'\\''b'`)
  })
})

/** The arguments that code passes to `fetch`. */
function run(code: string): Promise<unknown> {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code is the subject
  const program = new Function('fetch', `return (async () => { ${code}\nreturn response })()`) as (
    fetch: (...args: unknown[]) => unknown,
  ) => Promise<unknown>
  return program((...args) => args)
}
