import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const KEY = 'the console key'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { defineConfig, jwtAuth } from 'agentserver'
    import { broken, order } from './src/workflows.ts'
    export default defineConfig({
      workflows: [order, broken],
      authNext: { provider: jwtAuth({ secret: '${SECRET}' }) },
    })
  `,
})
beforeAll(async () => {
  await project.start('start', { SERVICE_CONSOLE_ACCESS_KEY: KEY })
  await fetch(new URL('/workflows/broken/execute', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token()}` },
    body: '{"input":{}}',
  })
})
afterAll(() => project.end())

function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 })}`
  return `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`
}

const REFUSED = /status of 40[13]|status of 500|WebSocket connection to/

describe('a server in production', () => {
  it('is read with the console key and acted on with a token; both can be cleared', async () => {
    const { page, axe } = await project.browser.open('', { expected: REFUSED })
    const keyDialog = page.getByRole('dialog', { name: 'Console key' })
    await keyDialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Request failed: HTTP 401').waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await keyDialog.getByLabel('Console key').fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Needs you (1)' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByRole('status', { name: 'Server' }).innerText()).toContain(
      'production, console key',
    )
    await page.getByRole('link', { name: '1 failed' }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    const replays = page.getByRole('dialog', { name: 'Replay a failure' })
    await replays.getByRole('button', { name: 'Replay all' }).click()
    const tokenDialog = page.getByRole('dialog', { name: 'User token' })
    await tokenDialog.getByLabel('Token').fill('no.such.token')
    await page.keyboard.press('Enter')
    await tokenDialog.getByText('The token was not accepted').waitFor()
    expect(await axe()).toEqual([])
    await tokenDialog.getByLabel('Token').fill(token())
    await page.keyboard.press('Enter')
    await replays.getByText('0 completed, 1 failed').waitFor()
    await page.keyboard.press('Escape')
    expect(page.url()).not.toMatch(/key|token/)
    expect(await page.evaluate('Object.keys(localStorage).join()')).not.toMatch(/key|token/)
    await page.reload()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.getByRole('button', { name: 'Clear credentials' }).click()
    await keyDialog.waitFor()
    const kept = await page.evaluate('JSON.stringify(sessionStorage)')
    expect(kept).not.toContain(KEY)
    expect(kept).not.toContain('eyJ')
    expect(kept).not.toMatch(/key"|token"/)
  })
})
