import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { renameOver } from '../../../../src/lib/files/rename-over.ts'
import { asWindows } from '../../../support/as-windows.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

let project: TempProject
beforeEach(() => void (project = new TempProject({ draft: 'new', file: 'old' })))
afterEach(() => {
  vi.restoreAllMocks()
  project.remove()
})

const rename = () => renameOver(project.path('draft'), project.path('file'))
const content = () => fs.readFileSync(project.path('file'), 'utf8')

/** The first renames fail, as those of a file that another program has open. */
function refuse(times: number, code: string) {
  const real = fs.renameSync
  const spy = vi.spyOn(fs, 'renameSync')
  spy.mockImplementation((from, to) => {
    if (spy.mock.calls.length <= times) throw Object.assign(new Error(code), { code })
    real(from, to)
  })
  return spy
}

test('a file is renamed over another one', () => {
  rename()
  expect(content()).toBe('new')
})

describe('a file that another program has open', () => {
  test.each(['EPERM', 'EACCES', 'EBUSY'])('is renamed when Windows allows it again, after %s', (code) => {
    asWindows()
    refuse(2, code)
    rename()
    expect(content()).toBe('new')
  })

  test('is an error if Windows refuses it for longer', () => {
    asWindows()
    const spy = refuse(100, 'EPERM')
    expect(rename).toThrow('EPERM')
    expect([spy.mock.calls.length, content()]).toEqual([6, 'old'])
  })

  test('is an error at once elsewhere, and for another reason', () => {
    const spy = refuse(100, 'EPERM')
    expect(rename).toThrow('EPERM')
    asWindows()
    spy.mockClear()
    refuse(100, 'ENOENT')
    expect(rename).toThrow('ENOENT')
    expect(spy.mock.calls).toHaveLength(1)
  })
})
