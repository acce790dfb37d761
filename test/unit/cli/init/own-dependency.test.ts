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

const dependencyOf = (home: string) =>
  ownDependency({ home: fs.realpathSync(path.dirname(place.path(home))) })
const TARBALL = { range: 'file:./a.tgz', tarball: { name: 'a.tgz', bytes: Buffer.from('packed') } }

describe('the dependency that init writes', () => {
  test('is the tarball that the package was installed from, by npm, npx or pnpm', async () => {
    const manifest = JSON.stringify({ dependencies: { agentserver: 'file:../a.tgz' } })
    place.write({
      'a.tgz': 'packed',
      'shop/package.json': manifest,
      [`shop/${HOME}`]: '{}',
      [`shop/${PNPM}`]: '{}',
    })
    expect(await dependencyOf(`shop/${HOME}`)).toEqual(TARBALL)
    expect(await dependencyOf(`shop/${PNPM}`)).toEqual(TARBALL)
  })

  test('is the tarball of a global installation', async () => {
    const packages = { 'node_modules/agentserver': { version: VERSION, resolved: 'file:../a.tgz' } }
    place.write({
      'a.tgz': 'packed',
      'lib/node_modules/.package-lock.json': JSON.stringify({ packages }),
      [`lib/${HOME}`]: '{}',
    })
    expect(await dependencyOf(`lib/${HOME}`)).toEqual(TARBALL)
  })

  test('is a version if the package is from the registry, or its tarball is gone', async () => {
    place.write({
      'shop/package.json': JSON.stringify({ dependencies: { agentserver: `^${VERSION}` } }),
      'gone/package.json': JSON.stringify({ dependencies: { agentserver: 'file:../gone.tgz' } }),
      [`shop/${HOME}`]: '{}',
      [`gone/${HOME}`]: '{}',
    })
    expect(await dependencyOf(`shop/${HOME}`)).toEqual({ range: `^${VERSION}` })
    expect(await dependencyOf(`gone/${HOME}`)).toEqual({ range: `^${VERSION}` })
  })
})
