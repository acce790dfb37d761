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

test('what is overwritten leaves nothing aside', () => {
  writeProject(planProject(place.root, template))

  expect(fs.readdirSync(place.root).toSorted()).toEqual(['README.md', 'package.json', 'src'])
  expect(place.read('README.md')).toBe('theirs')
})

test('when something can not be written, all is as it was before', () => {
  const plan = planProject(place.root, template)
  fs.mkdirSync(place.path('src'))
  place.write({ 'src/last.ts': 'made in the meantime' })

  expect(() => writeProject(plan)).toThrow(/can't be written: EEXIST/)
  expect(fs.readdirSync(place.root).toSorted()).toEqual(['README.md', 'src'])
  expect(fs.readdirSync(place.path('src'))).toEqual(['last.ts'])
  expect(place.read('README.md')).toBe('mine')
  expect(place.read('src/last.ts')).toBe('made in the meantime')
})

test.skipIf(process.platform === 'win32')(
  'a symbolic link that is overwritten is replaced itself, not what it leads to',
  () => {
    place.write({ elsewhere: 'mine' })
    place.delete('README.md')
    fs.symlinkSync(place.path('elsewhere'), place.path('README.md'))
    const plan = planProject(place.root, template)
    expect(plan.conflicts).toEqual(['README.md'])
    writeProject(plan)

    expect(place.read('elsewhere')).toBe('mine')
    expect(fs.lstatSync(place.path('README.md')).isFile()).toBe(true)
  },
)
