import fs from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { crashEngine } from '../../support/process/crash-workflow.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { TypescriptProcess } from '../../support/process/typescript-process.ts'
import { engineSuite } from './engine-suite.ts'

const project = new TempProject()
afterAll(() => project.remove())

engineSuite('the engine on SQLite', {
  connect: async (database) => openSqliteStore({ file: project.path(`${database}.db`) }),
})

it('acknowledged executions survive a kill of their process', async () => {
  const file = project.path('killed.db')
  const child = new TypescriptProcess('run-until-killed.ts', file)
  try {
    await child.printed('stored e20\n')
    const notes = () => fs.readFileSync(`${file}.notes`, 'utf8').split('\n')
    await expect.poll(() => notes().filter((line) => line === 'second 1').length).toBe(20)
  } finally {
    await child.kill()
  }
  const { engine, store } = crashEngine(file)
  await engine.start()
  await expect.poll(() => engine.queries.count({ status: 'completed' })).toBe(20)
  const counts = new Map<string, number>()
  for (const line of fs.readFileSync(`${file}.notes`, 'utf8').trim().split('\n'))
    counts.set(line, (counts.get(line) ?? 0) + 1)
  expect(Object.fromEntries(counts)).toEqual({ 'first 1': 20, 'second 1': 20, 'second 2': 20 })
  await engine.stop({ graceMs: 0 })
  await store.close()
})
