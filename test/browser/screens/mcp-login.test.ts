import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { OAuthServer } from '../../support/mcp/oauth-server.ts'

const oauth = new OAuthServer()
// logins are stored in the home folder
const home = mkdtempSync(path.join(tmpdir(), 'agentserver-home-'))
let project: ConsoleProject

beforeAll(async () => {
  await oauth.listen()
  project = new ConsoleProject({
    'agentserver.config.ts': `
      import { connectMcpServer, defineConfig } from 'agentserver'
      export default defineConfig({
        mcpServers: [connectMcpServer({ id: 'tracker', url: '${oauth.url}', auth: 'oauth' })],
      })
    `,
  })
  await project.start('dev', { HOME: home })
})
afterAll(async () => {
  await project.end()
  await oauth.close()
  rmSync(home, { recursive: true, force: true })
})

describe('the login at a connected MCP server', () => {
  it('leads to its page, and the server is connected afterwards', async () => {
    const { page, complaints, axe } = await project.browser.open('mcp/tracker')
    const login = page.getByRole('region', { name: 'Login' })
    await login.getByText('Its tools can be used after a login.').waitFor()
    expect(await axe()).toEqual([])
    await login.getByRole('button', { name: 'Log in' }).click()
    const link = login.getByRole('link', { name: 'Open the login page' })
    await link.waitFor()
    expect(await axe()).toEqual([])
    const opened = page.context().waitForEvent('page')
    await link.click()
    const loginPage = await opened
    await loginPage.getByText('You can close this page.').waitFor()
    await loginPage.close()
    await login.getByText('You can log in again, as another user.').waitFor()
    await page.getByRole('region', { name: 'Tools' }).getByText('tracker_whoami', { exact: true }).waitFor()
    await expect.poll(() => link.count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})
