import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject()

beforeAll(() => project.start())
afterAll(() => project.end())

async function saveKeys(page: Page, key: string): Promise<void> {
  await page.getByLabel('Public key').fill(key)
  await page.getByLabel('Secret key').fill('sk-1')
  await page.getByRole('button', { name: 'Preview change' }).click()
  await page.getByRole('button', { name: 'Save to .env' }).click()
}

it("the console without the project's token shows the data, and says how to get the token for a change", async () => {
  const expected = /status of 403/
  const { page, complaints } = await project.browser.open('settings?tab=keys', {
    withoutToken: true,
    expected,
  })
  await saveKeys(page, 'pk-1')
  await page.getByText('needs its token: the link that dev printed').waitFor()
  expect(existsSync(project.path('.env'))).toBe(false)
  await page.getByRole('tab', { name: 'Updates' }).click()
  await page.getByText('needs its token').waitFor()
  expect(complaints).toEqual([])
})

it('the printed link lets all tabs of the browser change the project, and its token leaves the address at once', async () => {
  const { page } = await project.browser.open('settings?tab=keys')
  expect(page.url()).toMatch(/\/console\/settings\?tab=keys$/)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await saveKeys(other, 'pk-2')
  await other.getByText('Saved 2 variables to .env').waitFor()
  expect(project.read('.env')).toContain('SERVICE_PUBLIC_KEY=pk-2')
  await page.goBack()
  expect(page.url()).not.toContain('token')
})
