import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPrivateFile, exposedFiles, makePrivate } from '../../../../src/lib/files/private-files.ts'
import { openStore } from '../../../../src/store/open.ts'

/** Modes of files have no effect there. */
const WINDOWS = process.platform === 'win32'

let root: string
let umask: number
beforeEach(() => {
  umask = process.umask(0)
  root = fs.mkdtempSync(path.join(tmpdir(), 'agentserver-private-'))
})
afterEach(() => {
  process.umask(umask)
  fs.rmSync(root, { recursive: true })
})

const modeOf = (name: string) => (fs.statSync(path.join(root, name)).mode & 0o777).toString(8)
const modes = () => [
  modeOf('.agentserver'),
  ...fs.readdirSync(path.join(root, '.agentserver')).map((name) => modeOf(`.agentserver/${name}`)),
]

describe.skipIf(WINDOWS)('a database in .agentserver', () => {
  it('is created with all its files for its owner only, under any umask', async () => {
    const store = await openStore({ url: 'file:.agentserver/data.db', root })
    expect(fs.readdirSync(path.join(root, '.agentserver'))).toEqual([
      'data.db',
      'data.db-lock',
      'data.db-shm',
      'data.db-wal',
    ])
    expect(modes()).toEqual(['700', '600', '600', '600', '600'])
    await store.close()
  })

  it('of an earlier version becomes private when it is opened', async () => {
    await (await openStore({ url: 'file:.agentserver/data.db', root })).close()
    fs.writeFileSync(path.join(root, '.agentserver/server.json'), '{}', { mode: 0o644 })
    for (const name of ['data.db', 'data.db-lock']) fs.chmodSync(path.join(root, '.agentserver', name), 0o644)
    fs.chmodSync(path.join(root, '.agentserver'), 0o755)
    const store = await openStore({ url: 'file:.agentserver/data.db', root })
    expect(new Set(modes())).toEqual(new Set(['700', '600']))
    await store.close()
  })
})

it.skipIf(WINDOWS)('a database elsewhere is private, and its directory stays as it is', async () => {
  fs.mkdirSync(path.join(root, 'shared'), { mode: 0o755 })
  const store = await openStore({ url: 'file:shared/data.db', root })
  expect([modeOf('shared'), modeOf('shared/data.db')]).toEqual(['755', '600'])
  await store.close()
})

it.skipIf(WINDOWS)('an existing file keeps its content and permissions', () => {
  fs.writeFileSync(path.join(root, 'file'), 'mine', { mode: 0o644 })
  createPrivateFile(path.join(root, 'file'))
  expect([fs.readFileSync(path.join(root, 'file'), 'utf8'), modeOf('file')]).toEqual(['mine', '644'])
})

it.skipIf(WINDOWS)('links are not followed, and a missing directory has nothing to protect', () => {
  const directory = path.join(root, '.agentserver')
  makePrivate(directory)
  expect(exposedFiles(directory)).toEqual([])
  fs.mkdirSync(directory, { mode: 0o700 })
  fs.writeFileSync(path.join(root, 'outside'), '', { mode: 0o644 })
  fs.symlinkSync(path.join(root, 'outside'), path.join(directory, 'link'))
  makePrivate(directory)
  expect(modeOf('outside')).toBe('644')
  expect(exposedFiles(directory)).toEqual([])
})
