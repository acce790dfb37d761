import { afterAll, describe, expect, it } from 'vitest'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { ConsoleFiles } from '../../../../src/http/pages/console-files.ts'
import { consoleDocument } from '../../../../src/http/pages/console-pages.ts'
import { AppError } from '../../../../src/lib/errors.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const build = new TempProject({
  'index.html': '<script src="./assets/app-1.js"></script>',
  'assets/app-1.js.br': brotliCompressSync('plain'),
})
const files = new ConsoleFiles(build.root)
afterAll(() => build.remove())

function ask(address: string, headers: Readonly<Record<string, string>> = {}) {
  return consoleDocument(files, new Request(`http://localhost${address}`, { headers }))
}

async function textOf(address: string, headers?: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await ask(address, headers)
  return typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined)
}

describe('the console', () => {
  it.each([
    ['/console', './console/assets/app-1.js'],
    ['/console/', './assets/app-1.js'],
    ['/console/executions', './assets/app-1.js'],
    ['/console/executions/a.b', '../assets/app-1.js'],
    ['/console/executions/a%2Fb', '../assets/app-1.js'],
    ['/console/agents/a/b', '../../assets/app-1.js'],
  ])('has its page at %s, which finds the files under any prefix', async (address, script) => {
    expect(await textOf(address)).toBe(`<script src="${script}"></script>`)
  })

  it('revalidates its page by ETag, and sends it only once', async () => {
    const { headers = {} } = await ask('/console/logs')
    expect(headers['Cache-Control']).toBe('no-cache')
    const again = await ask('/console/logs', { 'if-none-match': `"other", W/${headers['ETag']}` })
    expect(again.body).toBeNull()
    expect((await ask('/console/logs', { 'if-none-match': '"other"' })).body).not.toBeNull()
  })

  it('sends a Content-Security-Policy without inline code and other hosts', async () => {
    const { headers = {} } = await ask('/console/')
    expect(headers['Content-Security-Policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, BR;q=0.8', 'br'],
    ['gzip, deflate', undefined],
    ['br;q=0, gzip;q=0.5', undefined],
    ['', undefined],
  ])('sends files to a client that accepts "%s" with Brotli or decompressed', async (accepted, coding) => {
    const sent = await ask('/console/assets/app-1.js', { 'accept-encoding': accepted })
    const body = sent.body as Uint8Array
    expect(Buffer.from(coding === 'br' ? brotliDecompressSync(body) : body).toString()).toBe('plain')
    expect(sent.type).toBe('text/javascript; charset=utf-8')
    expect(sent.headers?.['Content-Encoding']).toBe(coding)
    expect(sent.headers?.['Vary']).toBe('Accept-Encoding')
    expect(sent.headers?.['Cache-Control']).toContain('immutable')
  })

  it.each([
    '/console/assets/none.js',
    '/console/assets/',
    '/console/assets/app-1.js.br',
    '/console/assets/%2e%2e%2findex.html',
    '/console/assets/..%2f..%2fpackage.json',
    '/console/assets/%zz',
    '/console/favicon.ico',
    '/console/index.html',
  ])('has nothing at %s', async (address) => {
    await expect(ask(address)).rejects.toBeInstanceOf(AppError)
  })

  it('says how to build it when it is not built', async () => {
    const empty = new ConsoleFiles(`${build.root}/none`)
    const { body } = await consoleDocument(empty, new Request('http://localhost/console/'))
    expect(body).toContain('npm run build')
  })
})
