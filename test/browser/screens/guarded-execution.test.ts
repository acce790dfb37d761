import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { defineConfig, jwtAuth } from 'agentserver'
    import { order } from './src/workflows.ts'
    export default defineConfig({
      workflows: [order],
      authNext: { provider: jwtAuth({ secret: '${SECRET}' }) },
    })
  `,
})
const token = await new SignJWT()
  .setSubject('ada')
  .setProtectedHeader({ alg: 'HS256' })
  .sign(Buffer.from(SECRET))
/** Console messages of the browser for failed requests. */
const REFUSED = /status of 401|WebSocket connection to/

beforeAll(() => project.start('start', { SERVICE_CONSOLE_ACCESS_KEY: 'the key' }))
afterAll(() => project.end())

it('a production server shows an execution for the console key, and prompts for a token for actions', async () => {
  const started = await fetch(new URL('/workflows/order/execute', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ input: { orderId: 'a', amount: 500 } }),
  })
  const { data } = (await started.json()) as { data: { executionId: string } }
  const { page, complaints, axe } = await project.browser.open(`executions/${data.executionId}`, {
    expected: REFUSED,
  })
  const key = page.getByRole('dialog', { name: 'Console key' })
  await key.getByLabel('Console key').fill('the key')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: /Waiting for approval/ })
  await panel.waitFor()
  for (const name of ['Events', 'Logs', 'Run']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tab', { name, selected: true }).waitFor()
  }
  for (const name of ['Graph', 'Compare', 'Timeline']) await page.getByRole('button', { name }).click()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)

  await panel.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'User token' })
  await dialog.getByLabel('Token').fill('not a token')
  await page.keyboard.press('Enter')
  await dialog.getByText('The token was not accepted').waitFor()
  expect(await axe()).toEqual([])
  await dialog.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.locator('header').getByText('completed', { exact: true }).waitFor()
  expect(complaints).toEqual([])
})
