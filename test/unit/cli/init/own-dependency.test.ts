import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ownDependency } from '../../../../src/cli/init/own-dependency.ts'
import { VERSION } from '../../../../src/lib/packages/own-package.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const HOME = 'node_modules/agentserver/package.json'
const PNPM = 'node_modules/.pnpm/agentserver@file+a.tgz/node_modules/agentserver/package.json'

let place: TempProject

beforeEach(() => {
  place = new TempProject()
})
afterEach(() => place.remove())

const dependencyIn = (project: string, home: string) =>
  ownDependency(place.path(project), fs.realpathSync(path.dirname(place.path(home))))

describe('the dependency that init writes', () => {
  test('is the clone that init runs from, also for a directory that does not exist yet', () => {
    place.write({ 'clone/package.json': '{}' })
    expect(dependencyIn('my shops/one', 'clone/package.json')).toBe('file:../../clone')
  })

  test('is the tarball that the package was installed from, by npm, npx or pnpm', () => {
    const manifest = JSON.stringify({ dependencies: { agentserver: 'file:../a.tgz' } })
    place.write({
      'a.tgz': '',
      'shop/package.json': manifest,
      [`shop/${HOME}`]: '{}',
      [`shop/${PNPM}`]: '{}',
    })
    expect(dependencyIn('new', `shop/${HOME}`)).toBe('file:../a.tgz')
    expect(dependencyIn('shop/apps/new', `shop/${PNPM}`)).toBe('file:../../../a.tgz')
  })

  test('is the tarball of a global installation', () => {
    const packages = { 'node_modules/agentserver': { version: VERSION, resolved: 'file:../a.tgz' } }
    place.write({
      'a.tgz': '',
      'lib/node_modules/.package-lock.json': JSON.stringify({ packages }),
      [`lib/${HOME}`]: '{}',
    })
    expect(dependencyIn('new', `lib/${HOME}`)).toBe('file:../a.tgz')
  })

  test('is a version if the package is from the registry, or its tarball is gone', () => {
    place.write({
      'shop/package.json': JSON.stringify({ dependencies: { agentserver: `^${VERSION}` } }),
      'gone/package.json': JSON.stringify({ dependencies: { agentserver: 'file:../gone.tgz' } }),
      [`shop/${HOME}`]: '{}',
      [`gone/${HOME}`]: '{}',
    })
    expect(dependencyIn('new', `shop/${HOME}`)).toBe(`^${VERSION}`)
    expect(dependencyIn('new', `gone/${HOME}`)).toBe(`^${VERSION}`)
  })
})
