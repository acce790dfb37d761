import fs from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { executionRow } from './execution-rows.ts'

const MB = 1_000_000
const project = new TempProject()
afterAll(() => project.remove())
let files = 0

function newFile(): string {
  const file = project.path(`space/${++files}/data.db`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  return file
}

function openLogged(file: string) {
  const lines: string[] = []
  const log = (line: unknown) => void lines.push(String(line))
  const store = openSqliteStore({ file, logger: { info: log, warn: log, debug: log } })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= store.close())
  onTestFinished(close)
  return { store, lines, close }
}

const ended = (index: number, input: string) => {
  const row = executionRow({
    id: `e${index}`,
    status: 'completed',
    endedAt: index,
    input: JSON.stringify(input),
  })
  return { id: row.id, insert: row }
}

describe('a database file', () => {
  it('gets smaller when executions are deleted, a megabyte at a time', async () => {
    const file = newFile()
    const { store, close } = openLogged(file)
    await store.executions.write(Array.from({ length: 60 }, (_, index) => ended(index, 'x'.repeat(MB))))
    expect(await store.giveSpaceBack()).toBe(0)
    while ((await store.executions.prune({ endedBefore: 1000, keep: 0 }, 10)) > 0);
    const turns: number[] = []
    while (turns.at(-1) !== 0) turns.push(await store.giveSpaceBack())
    expect(turns.length).toBeGreaterThan(30)
    expect(Math.max(...turns)).toBeLessThanOrEqual(1024 * 1024)
    await close()
    // what the next executions will need stays
    expect(fs.statSync(file).size).toBeLessThan(18 * MB)
    expect(fs.statSync(file).size).toBeGreaterThan(16 * MB)
  })

  it('has nothing left of a deleted execution after it is closed', async () => {
    const file = newFile()
    const { store, close } = openLogged(file)
    const secrets = ['Zyxomma in a page', `Qwghlm ${'x'.repeat(20_000)} Zyxomma on its overflow pages`]
    await store.executions.write(secrets.map((secret, index) => ended(index, secret)))
    const has = () => fs.readFileSync(file).includes('Zyxomma')
    await close()
    expect(has()).toBe(true)
    const again = openLogged(file)
    while ((await again.store.executions.prune({ endedBefore: 1000, keep: 0 }, 10)) > 0);
    await again.close()
    expect(has()).toBe(false)
  })
})
