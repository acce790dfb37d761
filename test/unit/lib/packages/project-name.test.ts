import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectName } from '../../../../src/lib/packages/project-name.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

function projectWith(files: Record<string, string>): string {
  const project = new TempProject(files)
  onTestFinished(() => project.remove())
  return project.root
}

test('a project has the name of its package', () => {
  expect(projectName(projectWith({ 'package.json': '\uFEFF{"name":"@acme/shop"}' }))).toBe('@acme/shop')
})

test('projects in one package have different names', () => {
  const root = projectWith({ 'package.json': '{"name":"acme"}' })
  expect(projectName(path.join(root, 'apps', 'shop'))).toBe('acme/apps/shop')
})

test.each(['{}', '{"name":""}', '{"name":1}', 'null', '{'])(
  'a project whose package.json is %s has the name of its directory',
  (manifest) => {
    const root = projectWith({ 'package.json': manifest })
    expect(projectName(root)).toBe(path.basename(root))
  },
)
