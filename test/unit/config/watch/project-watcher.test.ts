import { EventEmitter } from 'node:events'
import { afterAll, expect, test, vi } from 'vitest'
import { LiveProject } from '../../../support/project/live-project.ts'

// the files of a worker share their modules: those that see the mock are loaded for this file alone
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('chokidar', () => ({
  watch: () => {
    const watcher = Object.assign(new EventEmitter(), { close: async () => {} })
    setImmediate(() => {
      watcher.emit('error', Object.assign(new Error('no space left on device, watch'), { code: 'ENOSPC' }))
      watcher.emit('ready')
    })
    return watcher
  },
}))

test('files are polled with a hint if the limit of file watches is reached', async () => {
  const project = new LiveProject({ 'agentserver.config.ts': 'export const value = 1' })
  await project.start()
  project.write({ 'agentserver.config.ts': 'export const value = 2' })
  expect(await project.next()).toMatchObject({ value: 2 })
  expect(project.hints).toEqual([expect.stringContaining('fs.inotify.max_user_watches')])
  await project.stop()
})
