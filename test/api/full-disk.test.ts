import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { ExecutionResult } from '../../src/contract/event.ts'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import { FaultyStore } from '../suites/engine/faulty-store.ts'
import { TempProject } from '../support/project/temp-project.ts'
import type * as open from '../../src/store/open.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const stores: FaultyStore[] = []

// the files of a worker share their modules: those that see the mock are loaded for this file alone
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('../../src/store/open.ts', async (importOriginal) => {
  const original = await importOriginal<typeof open>()
  return {
    ...original,
    openStore: async (options: Parameters<typeof original.openStore>[0]) => {
      const store = new FaultyStore(await original.openStore(options))
      stores.push(store)
      return store
    },
  }
})

/** A directory for a database whose space can be exhausted and freed. */
interface Disk {
  readonly root: string
  fill(): void
  free(): void
  remove(): void
}

/** A file system of 8 MB. */
function smallDisk(): Disk {
  const project = new TempProject()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', project.root])
  const filler = project.path('filler')
  return {
    root: project.root,
    fill: () => {
      try {
        for (;;) fs.appendFileSync(filler, Buffer.alloc(4096))
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    },
    free: () => fs.rmSync(filler),
    remove: () => {
      execFileSync('umount', ['--lazy', project.root])
      project.remove()
    },
  }
}

/** A database that refuses writes on demand. */
function refusingDatabase(): Disk {
  const project = new TempProject()
  return {
    root: project.root,
    fill: () => stores.at(-1)?.refuse(),
    free: () => stores.at(-1)?.recover(),
    remove: () => project.remove(),
  }
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    smallDisk().remove()
    return true
  } catch {
    // root in a container without the privilege
    return false
  }
}

const FULL = 'The database cannot be used: the disk is full'

describe.each([
  ['a file system without space', canMount(), smallDisk, 503],
  ['a database that refuses to write', true, refusingDatabase, 500],
])('%s', (_, possible, makeDisk, status) => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })

  it.runIf(possible)(
    'loses nothing that was acknowledged, acknowledges nothing that is lost, and recovers',
    async () => {
      const disk = makeDisk()
      cleanups.push(() => disk.remove())
      const start = () => new TestServer({ database: 'file:data.db' }, { root: disk.root })
      const server = start()
      let closed = false
      cleanups.push(() => closed || server.close())

      const acknowledged = new Map<string, unknown>()
      const execute = async (n: number) => {
        const input = { n, text: 'x'.repeat(5000) }
        const response = await server.post('/workflows/anything/execute', { input })
        if (response.status === 200)
          acknowledged.set((await dataOf<ExecutionResult>(response)).executionId, input)
        return response
      }
      for (let n = 0; n < 10; n++) expect((await execute(n)).status).toBe(200)
      const suspended = (await server.execute('ask')).executionId
      const held = await server.startHeldExecution()
      const resume = () =>
        server.post(`/workflows/ask/executions/${suspended}/resume`, { resumeData: 'late' })

      disk.fill()
      for (let n = 10; n < 20; n++) {
        const message = await refusalOf(await execute(n), status)
        if (status === 503) expect(message).toBe(FULL)
        else expect(message).not.toMatch(/SQLITE|disk|\.db/i)
      }
      if (status === 503) expect(await refusalOf(server.request('/readyz'), 503)).toBe(FULL)
      await refusalOf(
        server.post('/workflows/echo/execute', { input: {} }, { prefer: 'respond-async' }),
        status,
      )
      await refusalOf(server.post('/workflows/echo/stream', { input: {} }), status)
      await refusalOf(resume(), status)
      await refusalOf(server.post(`/workflows/ask/executions/${suspended}/cancel`), status)
      expect((await server.record('ask', suspended)).status).toBe('suspended')
      server.gate.open(held)

      expect(await (await server.request('/healthz')).text()).toBe('ok')
      const listed = async (from = server) => {
        const records = await dataOf<ExecutionRecord[]>(
          from.request('/workflows/executions?workflowId=anything&limit=200'),
        )
        return new Map(records.map(({ id, output }) => [id, output]))
      }
      expect(await listed()).toEqual(acknowledged)
      expect(server.logs.some(({ level }) => Number(level) >= 50)).toBe(true)

      disk.free()
      expect((await execute(20)).status).toBe(200)
      expect(await dataOf(resume())).toMatchObject({ status: 'completed', result: { answer: 'late' } })
      await expect.poll(async () => (await server.record('hold', held)).status).toBe('completed')
      expect(await listed()).toEqual(acknowledged)
      await expect.poll(async () => (await server.request('/readyz')).status).toBe(200)

      await server.close()
      closed = true
      const next = start()
      cleanups.push(() => next.close())
      expect(await listed(next)).toEqual(acknowledged)
      expect(acknowledged.size).toBe(11)
    },
  )
})
