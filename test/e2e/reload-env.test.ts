import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DevProject } from '../support/project/dev-project.ts'

const NAMES = ['RELOAD_TOKEN', 'RELOAD_OLD', 'RELOAD_SHELL', 'RELOAD_NEW']

const project = new DevProject({
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { seen } from './src/seen.ts'
    export default defineConfig({
      configureApp: (app) => {
        app.get('/seen', (c) => c.json({ data: seen }))
      },
    })
  `,
  'src/seen.ts': `
    const value = (name: string) => process.env[name] ?? null
    export const seen = ${JSON.stringify(NAMES)}.map(value)
  `,
  '.env': 'RELOAD_TOKEN=secret-1\nRELOAD_OLD=old-1\nRELOAD_SHELL=file-1\n',
})

beforeAll(() => project.start({ env: { RELOAD_SHELL: 'shell' } }))
afterAll(() => project.end())

const seen = async () => (await project.server.get('/seen')).data

describe('a change of .env', () => {
  it('does not change variables of the shell', async () => {
    expect(await seen()).toEqual(['secret-1', 'old-1', 'shell', null])
  })

  it('reloads the code and is reported by name', async () => {
    project.write({
      '.env': 'RELOAD_TOKEN=secret-2\nRELOAD_OLD=old-1\nRELOAD_SHELL=file-2\nRELOAD_NEW=new-1\n',
    })
    expect(await project.outcome()).toMatch(/reloaded \.env \(~RELOAD_TOKEN, \+RELOAD_NEW\) → 2 modules/)
    expect(await seen()).toEqual(['secret-2', 'old-1', 'shell', 'new-1'])
  })

  it('removes a variable that was deleted from the file', async () => {
    project.write({ '.env': 'RELOAD_TOKEN=secret-2\nRELOAD_NEW=new-1\n' })
    expect(await project.outcome()).toMatch(/reloaded \.env \(-RELOAD_OLD\) →/)
    expect(await seen()).toEqual(['secret-2', null, 'shell', 'new-1'])
  })

  it('in .env.local or .env.development takes precedence', async () => {
    project.write({ '.env.local': 'RELOAD_NEW=local-1\n', '.env.development': 'RELOAD_TOKEN=mode-1\n' })
    await project.serves('/seen', ['mode-1', null, 'shell', 'local-1'])
    project.delete('.env.local')
    expect(await project.outcome()).toContain('reloaded .env')
    await project.serves('/seen', ['mode-1', null, 'shell', 'new-1'])
  })

  it('is reported without values', () => {
    expect(project.server.stdout + project.server.stderr).not.toMatch(
      /secret-\d|old-\d|file-\d|new-\d|local-\d|mode-\d|shell/,
    )
  })
})
