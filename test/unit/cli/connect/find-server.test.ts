import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findTarget } from '../../../../src/cli/connect/find-server.ts'
import { removeServerFile, writeServerFile } from '../../../../src/cli/connect/server-file.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const CONFIG = { 'agentserver.config.ts': 'export default {}' }
const DEAD_PID = 2 ** 22 - 1

describe('the target of a command', () => {
  let project: TempProject
  let server: Server
  let url: string
  let headers: Record<string, string>

  beforeEach(async () => {
    project = new TempProject({ ...CONFIG, 'src/deep/x.ts': '' })
    headers = { 'X-Request-Id': 'r-1' }
    server = createServer((_, response) => response.writeHead(200, headers).end('ok'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
    project.remove()
  })

  const write = (directory: string, { pid = process.pid, root = directory } = {}) =>
    writeServerFile(directory, { url, pid, root, configFile: `${root}/agentserver.config.ts` })

  it('is the running server, also from a subdirectory', async () => {
    write(project.root)
    for (const cwd of [project.root, project.path('src/deep')])
      expect(await findTarget(cwd, undefined)).toMatchObject({ kind: 'server', info: { url } })
  })

  it('is the project if the process has ended or is no agentserver', async () => {
    write(project.root, { pid: DEAD_PID })
    expect((await findTarget(project.root, undefined)).kind).toBe('project')
    write(project.root)
    headers = {}
    expect((await findTarget(project.root, undefined)).kind).toBe('project')
  })

  it('is the project if the server file is invalid', async () => {
    for (const text of ['', 'null', '{"url":1}', '{"url":"http://x","pid":"1"}']) {
      project.write({ '.agentserver/server.json': text })
      expect((await findTarget(project.path('src'), undefined)).kind).toBe('project')
    }
  })

  it("is not the server of another project that was started in this project's directory", async () => {
    write(project.root, { root: '/elsewhere' })
    expect((await findTarget(project.root, undefined)).kind).toBe('project')
  })

  it('is the server of the config file in --config', async () => {
    project.write({ 'other.config.ts': 'export default {}' })
    write(project.root)
    expect((await findTarget(project.root, 'agentserver.config.ts')).kind).toBe('server')
    expect((await findTarget(project.root, 'other.config.ts')).kind).toBe('project')
  })

  it('stays the newer server when an older one ends', async () => {
    write(project.root)
    removeServerFile(project.root, DEAD_PID)
    expect((await findTarget(project.root, undefined)).kind).toBe('server')
    removeServerFile(project.root, process.pid)
    expect((await findTarget(project.root, undefined)).kind).toBe('project')
  })
})
