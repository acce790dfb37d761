import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({ '.env': 'SERVICE_PUBLIC_KEY=pk-old\n' })

beforeAll(() => project.start())
afterAll(() => project.end())

describe('the settings, in both themes', () => {
  it('show the configuration on every tab, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('settings')
    const config = page.getByRole('region', { name: 'Configuration' })
    await config.waitFor()
    expect(await config.innerText()).toMatch(/agentserver\.config\.ts[\s\S]*src\/workflows\.ts/)
    expect(await page.getByRole('region', { name: 'Storage' }).innerText()).toContain(
      '30 days, maximum 100,000',
    )
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Access' }).click()
    const routes = page.getByRole('grid', { name: 'Routes' })
    await routes.waitFor()
    expect(await routes.innerText()).toMatch(/GET\s+\/workflows\/executions\s+console\s+none required/)
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Keys' }).click()
    await page.getByText('SERVICE_SECRET_KEY').waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the settings', () => {
  it('filter routes by path and access class, in the URL', async () => {
    const { page } = await project.browser.open('settings?tab=access&q=resume&access=user')
    const routes = page.getByRole('grid', { name: 'Routes' }).getByRole('row')
    await expect.poll(() => routes.count()).toBe(3)
    expect(await routes.nth(1).innerText()).toContain('/resume')
    expect(await routes.nth(2).innerText()).toContain('/resume')
  })

  it('preview the change to .env, without the secret', async () => {
    const { page } = await project.browser.open('settings?tab=keys', { expected: /status of 400/ })
    await page.getByLabel('Public key').fill('pk-new')
    await page.getByLabel('Secret key').fill('sk "new"')
    await page.getByRole('button', { name: 'Preview change' }).click()
    const change = page.getByRole('list', { name: 'Change to .env' })
    expect(await change.innerText()).toMatch(/- SERVICE_PUBLIC_KEY=[\s\S]*\+ SERVICE_PUBLIC_KEY=pk-new/)
    expect(await change.innerText()).toContain('+ SERVICE_SECRET_KEY=•')
    expect(await change.innerText()).not.toContain('sk')
    expect(project.read('.env')).toBe('SERVICE_PUBLIC_KEY=pk-old\n')
    await page.getByRole('button', { name: 'Save to .env' }).click()
    await page.getByText('without quotes, backslash').waitFor()
    await page.getByLabel('Secret key').fill('sk-new')
    await page.getByRole('button', { name: 'Save to .env' }).click()
    await page.getByText('Saved 2 variables to .env').waitFor()
    expect(project.read('.env')).toBe('SERVICE_PUBLIC_KEY=pk-new\nSERVICE_SECRET_KEY=sk-new\n')
    await expect
      .poll(() => page.getByRole('region', { name: 'Environment' }).innerText())
      .toMatch(/SERVICE_SECRET_KEY\s+set\s*in \.env/)
  })

  it('list updates, install them, and show the result', async () => {
    const updates = {
      hasUpdates: true,
      count: 1,
      packageManager: 'npm',
      checkedAt: '2026-01-01T00:00:00.000Z',
      updates: [{ name: 'left-pad', installed: '1.0.0', wanted: '1.0.1', latest: '2.0.0', type: 'major' }],
    }
    const data = { updated: [{ name: 'left-pad', from: '1.0.0', to: '2.0.0' }], restartRequired: true }
    let installs = 0
    const { page, axe } = await project.browser.open('settings?tab=updates', {
      expected: /status of 500/,
      prepare: (context) =>
        context.route(/\/updates$/, (route) => {
          if (route.request().method() === 'GET')
            return route.fulfill({ json: { success: true, data: updates } })
          if (++installs === 1)
            return route.fulfill({ status: 500, json: { success: false, error: 'npm failed' } })
          return route.fulfill({ json: { success: true, data } })
        }),
    })
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    await page.getByRole('alert').getByText('npm failed').waitFor()
    await page.getByRole('button', { name: 'Install all' }).click()
    await page.getByText('left-pad 1.0.0 → 2.0.0').waitFor()
    await page.getByText('Restart the server').waitFor()
    expect(await axe()).toEqual([])
  })
})
