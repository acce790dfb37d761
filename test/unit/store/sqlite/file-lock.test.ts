import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeFileLock } from '../../../../src/store/sqlite/file-lock.ts'
import type { FileLock } from '../../../../src/store/sqlite/file-lock.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { TypescriptProcess } from '../../../support/process/typescript-process.ts'

let project: TempProject
let file: string
const held: FileLock[] = []
beforeEach(() => {
  project = new TempProject()
  file = project.path('locks/own-lock')
})
afterEach(() => {
  for (const lock of held.splice(0)) lock.release()
  project.remove()
})

const take = () => {
  const lock = takeFileLock(file)
  if (lock) held.push(lock)
  return lock
}

test('a lock has one holder at a time, in one process too', () => {
  expect(take()).toBeDefined()
  expect(take()).toBeUndefined()
  held.pop()?.release()
  expect(take()).toBeDefined()
})

test('a lock keeps an empty file, and no other', () => {
  take()
  held.pop()?.release()
  expect(fs.readdirSync(project.path('locks'))).toEqual(['own-lock'])
  expect(fs.statSync(file).size).toBe(0)
})

test('a lock of another process is free as soon as that process is killed', async () => {
  const other = new TypescriptProcess('hold-lock.ts', file)
  try {
    await other.printed('holding')
    expect(take()).toBeUndefined()
  } finally {
    await other.kill()
  }
  expect(take()).toBeDefined()
})

test('a lock of this process is refused to another one', async () => {
  const lock = take()
  const other = new TypescriptProcess('hold-lock.ts', file)
  try {
    await other.printed('refused')
    expect(lock).toBeDefined()
  } finally {
    await other.kill()
  }
})

test('a file that is not a lock is an error, and not changed', () => {
  project.write({ 'locks/own-lock': 'This is text, and rather a lot of it. '.repeat(100) })
  expect(() => take()).toThrow(/not a database/)
  expect(fs.readFileSync(file, 'utf8')).toContain('This is text')
})
