import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { planProject } from '../../../../src/cli/init/plan-project.ts'
import { writeProject } from '../../../../src/cli/init/write-project.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const template = {
  name: 'basic',
  description: '',
  packageJson: { dependencies: { zod: '^4.0.0' } },
  files: new Map([
    ['README.md', Buffer.from('theirs')],
    ['src/deep/order.ts', Buffer.from('theirs')],
    ['src/last.ts', Buffer.from('theirs')],
  ]),
}

let place: TempProject

beforeEach(() => {
  place = new TempProject({ 'README.md': 'mine' })
})
afterEach(() => place.remove())

test('overwriting files leaves no backup files', () => {
  writeProject(planProject(place.root, template, { own: { range: '^0.1.0' }, modelKey: undefined }))

  expect(fs.readdirSync(place.root).toSorted()).toEqual(['README.md', 'package.json', 'src'])
  expect(place.read('README.md')).toBe('theirs')
})

test('a failed write rolls back all changes', () => {
  const plan = planProject(place.root, template, { own: { range: '^0.1.0' }, modelKey: undefined })
  fs.mkdirSync(place.path('src'))
  place.write({ 'src/last.ts': 'created in the meantime' })

  expect(() => writeProject(plan)).toThrow(/Cannot write the project: EEXIST/)
  expect(fs.readdirSync(place.root).toSorted()).toEqual(['README.md', 'src'])
  expect(fs.readdirSync(place.path('src'))).toEqual(['last.ts'])
  expect(place.read('README.md')).toBe('mine')
  expect(place.read('src/last.ts')).toBe('created in the meantime')
})

test.skipIf(process.platform === 'win32')(
  'overwriting a symbolic link replaces the link, not its target',
  () => {
    place.write({ elsewhere: 'mine' })
    place.delete('README.md')
    fs.symlinkSync(place.path('elsewhere'), place.path('README.md'))
    const plan = planProject(place.root, template, { own: { range: '^0.1.0' }, modelKey: undefined })
    expect(plan.conflicts).toEqual(['README.md'])
    writeProject(plan)

    expect(place.read('elsewhere')).toBe('mine')
    expect(fs.lstatSync(place.path('README.md')).isFile()).toBe(true)
  },
)
