import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { inProject, PLAN_FILE } from './in-project.ts'
import { drawPlan } from './plan.ts'
import type { Verdict } from './verdict.ts'

const HELD: Verdict = { violations: [], timeouts: [], rounds: 1 }
const OPTIONS = { plan: drawPlan(1, 1, 'kills') }
const FILES = { 'notes.log': 'noted' }

const noted = (root: string) => readFileSync(path.join(root, 'notes.log'), 'utf8')

it('inProject removes the folder when everything held, and hides DATABASE_URL from the server', async () => {
  let root = ''
  const verdict = await inProject(FILES, OPTIONS, async (place) => {
    root = place.root
    expect(noted(root)).toBe('noted')
    expect(place.database.env).toEqual({ DATABASE_URL: '' })
    return HELD
  })
  expect(verdict).toEqual(HELD)
  expect(existsSync(root)).toBe(false)
})

it.each([
  { ...HELD, violations: ['text-1: lost'] },
  { ...HELD, timeouts: ['round 1: no acknowledgement'] },
])('inProject keeps the folder, with its plan, after %j', async (verdict) => {
  const { kept = '', ...found } = await inProject(FILES, OPTIONS, async () => verdict)
  expect(found).toEqual(verdict)
  expect(noted(kept)).toBe('noted')
  expect(JSON.parse(readFileSync(path.join(kept, PLAN_FILE), 'utf8'))).toEqual(OPTIONS.plan)
  rmSync(kept, { recursive: true })
})

it('inProject keeps and names the folder when the harness fails', async () => {
  const failed = inProject(FILES, OPTIONS, () => Promise.reject(new Error('no more memory')))
  const { message } = await failed.then(
    () => new Error('It did not fail'),
    (error: Error) => error,
  )
  const root = /no more memory\nDatabase, logs and plan: (.+)$/.exec(message)?.[1] ?? ''
  expect(noted(root)).toBe('noted')
  rmSync(root, { recursive: true })
})
