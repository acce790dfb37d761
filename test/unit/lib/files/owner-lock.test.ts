import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from '../../../../src/lib/files/owner-lock.ts'
import { TempProject } from '../../../support/temp-project.ts'

const HOUR = 3_600_000

let project: TempProject
let file: string
beforeEach(() => {
  project = new TempProject()
  file = project.path('locks/own.lock')
})
afterEach(() => project.remove())

const take = (maxHeldMs = HOUR) => takeLock({ file, maxHeldMs })

test('one at a time holds a lock, and nothing is left of it', () => {
  const release = take()
  expect(release).toBeTypeOf('function')
  expect(take()).toBeUndefined()
  release?.()
  expect(fs.readdirSync(project.path('locks'))).toEqual([])
  expect(take()).toBeTypeOf('function')
})

test.each([
  ['of a process that is gone', '{"pid":2147483646,"token":"a"}'],
  ['that is no lock', ''],
])('a lock %s is taken over', (_, text) => {
  project.write({ 'locks/own.lock': text })
  const release = take()
  expect(release).toBeTypeOf('function')
  release?.()
  expect(fs.readdirSync(project.path('locks'))).toEqual([])
})

test('a lock of a process that lives is not', () => {
  project.write({ 'locks/own.lock': JSON.stringify({ pid: process.ppid, token: 'a' }) })
  expect(take()).toBeUndefined()
})

test('a lock that is older than this process, under whose id it was taken, is taken over', () => {
  project.write({ 'locks/own.lock': JSON.stringify({ pid: process.pid, token: 'a' }) })
  expect(take()).toBeUndefined()
  const beforeStart = new Date(Date.now() - process.uptime() * 1000 - 60_000)
  fs.utimesSync(file, beforeStart, beforeStart)
  expect(take()).toBeTypeOf('function')
})

test('a lock that was held for too long is taken over, and its holder takes nothing away', () => {
  const first = take()
  fs.utimesSync(file, new Date(0), new Date(0))
  const second = take()
  expect(second).toBeTypeOf('function')
  first?.()
  expect(take()).toBeUndefined()
})
