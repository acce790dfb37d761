import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { TypescriptProcess } from '../support/process/typescript-process.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { until } from '../support/until.ts'

const project = new TempProject()
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterAll(() => {
  vi.useRealTimers()
  project.remove()
})
let files = 0

/** A server with a database of its own in a file. */
async function serverOnFile(file = project.path(`data-${++files}/data.db`)) {
  const server = new TestServer({ database: `file:${file}` })
  onTestFinished(() => server.close())
  await dataOf(server.request('/workflows'))
  const readiness = async () => {
    vi.advanceTimersByTime(1000)
    return (await server.request('/readyz')).status
  }
  return { server, file, readiness, directory: path.dirname(file) }
}

const messages = ({ logs }: TestServer) => logs.map(({ msg }) => String(msg))

describe('a database file', () => {
  it.each(['data.db', 'data.db-wal'])(
    'that is deleted (%s) stops writes until it is put back',
    async (name) => {
      const { server, directory, readiness } = await serverOnFile()
      const { executionId } = await server.execute('echo', { n: 1 })
      const [lost, kept] = [path.join(directory, name), path.join(directory, 'kept')]
      fs.renameSync(lost, kept)
      await until(async () => (await readiness()) === 503)
      const expected = `The database cannot be used: ${name} was deleted`
      expect(await refusalOf(server.request('/readyz'), 503)).toBe(expected)
      const refused = server.post('/workflows/echo/execute', { input: { n: 2 } })
      expect(await refusalOf(refused, 503)).toBe(expected)
      expect(messages(server)).toContainEqual(
        expect.stringContaining(`${expected}. The server is the only one that still has its state`),
      )
      expect((await server.record('echo', executionId)).status).toBe('completed')

      fs.renameSync(kept, lost)
      await until(async () => (await readiness()) === 200)
      expect((await server.execute('echo', { n: 3 })).result).toMatchObject({ data: { n: 3 } })
    },
  )

  it.each(['data.db', 'data.db-wal'])(
    'that is deleted (%s) leaves a rescue copy with all that was stored',
    async (name) => {
      const { server, directory, readiness } = await serverOnFile()
      const before = await server.execute('echo', { n: 1 })
      fs.rmSync(path.join(directory, name))
      await until(async () => (await readiness()) === 503)
      for (let check = 0; check < 3; check++) await readiness()
      const copies = fs.readdirSync(directory).filter((one) => one.startsWith('data.db.rescued'))
      expect(copies).toEqual([expect.stringMatching(/^data\.db\.rescued-[\dTZ-]+$/)])
      const copy = path.join(directory, copies[0] ?? '')
      expect(fs.statSync(copy).mode & 0o777).toBe(0o600)
      expect(messages(server)).toContainEqual(
        expect.stringMatching(`^Wrote the state of the database to ${copy} .*agentserver restore ${copy}$`),
      )
      const next = new TestServer({ database: `file:${copy}` })
      onTestFinished(() => next.close())
      expect((await next.record('echo', before.executionId)).status).toBe('completed')
    },
  )

  it('that is replaced stops writes', async () => {
    const { server, file, readiness } = await serverOnFile()
    fs.copyFileSync(file, `${file}-copy`)
    fs.renameSync(`${file}-copy`, file)
    await until(async () => (await readiness()) === 503)
    const refused = server.post('/workflows/echo/execute', { input: { n: 2 } })
    expect(await refusalOf(refused, 503)).toBe('The database cannot be used: data.db was replaced')
  })

  it('whose directory is deleted stops writes', async () => {
    const { server, directory, readiness } = await serverOnFile()
    fs.rmSync(directory, { recursive: true })
    await until(async () => (await readiness()) === 503)
    const refused = server.post('/workflows/echo/execute', { input: { n: 2 } })
    expect(await refusalOf(refused, 503)).toBe('The database cannot be used: data.db was deleted')
  })

  it('whose lock file is deleted is locked again', async () => {
    const { server, file, readiness } = await serverOnFile()
    fs.rmSync(`${file}-lock`)
    await until(async () => (await readiness()) === 503)
    expect(messages(server)).toContainEqual(expect.stringContaining('data.db-lock was deleted'))
    await until(async () => (await readiness()) === 200)
    const second = new TestServer({ database: `file:${file}` })
    onTestFinished(() => second.close())
    await refusalOf(second.request('/workflows'), 503)
    expect(JSON.stringify(second.logs)).toContain(`is in use by process ${process.pid}`)
  })

  it('whose directory is moved away and back is used again', async () => {
    const { server, directory, readiness } = await serverOnFile()
    fs.renameSync(directory, `${directory}-away`)
    for (let check = 0; check < 3; check++) await readiness()
    await until(async () => (await readiness()) === 503)
    expect(fs.existsSync(directory)).toBe(false)
    fs.renameSync(`${directory}-away`, directory)
    await until(async () => (await readiness()) === 200)
    expect((await server.execute('echo', { n: 3 })).result).toMatchObject({ data: { n: 3 } })
  })

  it('that another program keeps locked does not keep the server from responding', async () => {
    const { server, file, readiness } = await serverOnFile()
    const other = new TypescriptProcess('hold-transaction.ts', file)
    onTestFinished(() => other.kill())
    await other.printed('holding')
    const refused = server.post('/workflows/echo/execute', { input: { n: 2 } })
    expect(await refusalOf(refused, 503)).toBe('The database cannot be used: another program keeps it locked')
    const startedAt = performance.now()
    for (let check = 0; check < 5; check++) expect(await readiness()).toBe(503)
    await refusalOf(server.post('/workflows/echo/execute', { input: { n: 2 } }), 503)
    expect(performance.now() - startedAt).toBeLessThan(4000)
    await other.kill()
    await until(async () => (await readiness()) === 200)
    expect((await server.execute('echo', { n: 3 })).result).toMatchObject({ data: { n: 3 } })
  })

  it('with damaged pages results in 503 for what needs them, until they are repaired', async () => {
    const { server, file } = await serverOnFile()
    await server.execute('echo', { n: 1 })
    await server.close()
    const whole = fs.readFileSync(file)
    const page = rootPage(file, 'journal')
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, (page - 1) * 4096, page * 4096)
    fs.writeFileSync(file, damaged)

    const { server: next, readiness } = await serverOnFile(file)
    const refused = await refusalOf(next.post('/workflows/echo/execute', { input: { n: 2 } }), 503)
    expect(refused).toBe('The database cannot be used: it is damaged')
    expect(await readiness()).toBe(503)
    expect(messages(next)).toContainEqual(expect.stringContaining('restore a backup'))

    fs.writeFileSync(file, whole)
    await until(async () => (await readiness()) === 200)
    expect((await next.execute('echo', { n: 3 })).result).toMatchObject({ data: { n: 3 } })
  })
})

function rootPage(file: string, table: string): number {
  const database = openDatabase(file, { readOnly: true })
  const { rootpage } = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number
  }
  database.close()
  return rootpage
}
