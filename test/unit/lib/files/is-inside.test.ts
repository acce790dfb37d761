import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { isSamePath } from '../../../../src/lib/files/is-inside.ts'

test('paths of different drives, folders and spellings are told apart as the system does', () => {
  expect([
    isSamePath('/shop', '/shop'),
    isSamePath('/shop', '/Shop'),
    isSamePath('/shop', '/shop/x'),
  ]).toEqual([true, false, false])
  // a terminal of an editor and another one may differ in the case of the drive
  vi.spyOn(path, 'relative').mockImplementation((from, to) => path.win32.relative(from, to))
  expect([isSamePath('c:\\shop', 'C:\\Shop'), isSamePath('c:\\shop', 'd:\\shop')]).toEqual([true, false])
  vi.restoreAllMocks()
})
