import { chooseOption } from '../../support/browser/choose-option.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { parent, pay } from './src/pay.ts'
    export default defineConfig({ workflows: [pay, parent] })
  `,
  'src/pay.ts': `
import { createWorkflow } from 'agentserver'
import { z } from 'zod'

const charge = (cents: number) => {
  const cause = new RangeError('limit is 100')
  throw new TypeError('the card was declined \`twice\`', { cause })
}

export const pay = createWorkflow({ id: 'pay', name: 'Pay', inputSchema: z.object({ cents: z.number() }) })
  .andThen({ id: 'check', execute: ({ data, logger }) => { logger.info('checked the card'); return data } })
  .andThen({ id: 'charge', execute: ({ data }) => charge(data.cents) })

export const parent = createWorkflow({ id: 'parent', name: 'Parent', inputSchema: z.object({ cents: z.number() }) })
  .andWorkflow({ id: 'sub', workflow: pay })
`,
})
let id = ''

beforeAll(async () => {
  await project.start()
  id = await project.execute('pay', { cents: 250 })
})
afterAll(() => project.end())

describe.each([
  ['light', 390],
  ['dark', 1440],
] as const)('a failed execution, %s, %i px', (theme, width) => {
  it('opens from the inbox on its error, with the line of code as it was when it ran', async () => {
    const size = { width, height: 900 }
    const { page, axe, complaints } = await project.browser.open('inbox?tab=failed', { theme, size })
    await page
      .getByRole('list', { name: 'Failures' })
      .getByRole('link', { name: 'the card was declined' })
      .click()
    const card = page.getByRole('region', { name: 'TypeError: the card was declined `twice`' })
    await card.getByText("> 7 |   throw new TypeError('the card was declined").waitFor()
    await card.getByText('src/pay.ts:7:9', { exact: true }).waitFor()
    expect(await card.getByText('RangeError: limit is 100', { exact: true }).isVisible()).toBe(false)
    expect(
      await card
        .getByText(/at charge/)
        .first()
        .isVisible(),
    ).toBe(false)
    expect(await axe()).toEqual([])
    await card.getByText('Cause', { exact: true }).click()
    await card.getByText('RangeError: limit is 100', { exact: true }).waitFor()
    await card.getByText("> 6 |   const cause = new RangeError('limit is 100')").waitFor()
    await card.getByText('Stack', { exact: true }).click()
    await card
      .getByText(/at charge/)
      .first()
      .waitFor()
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the error of an execution', () => {
  it('is shown with the line of the child that failed, and the failures have it', async () => {
    const parentId = await project.execute('parent', { cents: 250 })
    const { page } = await project.browser.open(`executions/${parentId}`)
    const card = page.getByRole('region', { name: /the card was declined/ })
    await card.getByText("> 7 |   throw new TypeError('the card was declined").waitFor()
    await card.getByRole('link', { name: /Open in/ }).waitFor()
    await page.goto(new URL('../inbox?tab=failed', page.url()).href)
    const row = page
      .getByRole('list', { name: 'Failures' })
      .getByRole('listitem')
      .filter({ hasText: 'Parent › sub' })
    await expect.poll(() => row.innerText()).toContain('src/pay.ts:7')
  })

  it('keeps its source when the file has changed since', async () => {
    const source = project.read('src/pay.ts')
    project.write({ 'src/pay.ts': source.replace('const charge', '// moved\n\nconst charge') })
    const { page } = await project.browser.open(`executions/${id}`)
    await page.getByText("> 7 |   throw new TypeError('the card was declined").waitFor()
    expect(await page.getByText('// moved').count()).toBe(0)
  })

  it('links to the failed step, and replays from it', async () => {
    const { page } = await project.browser.open(`executions/${id}`)
    await page
      .getByRole('region', { name: /TypeError/ })
      .getByRole('button', { name: 'charge' })
      .click()
    await page.getByRole('treeitem', { name: /charge/, selected: true }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('charge')
    await page
      .getByRole('region', { name: /TypeError/ })
      .getByText('src/pay.ts:7:9')
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Replay from here' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Replay Pay' })
    expect(await dialog.getByLabel('From step').innerText()).toBe('charge')
  })

  it('is shown again when a step that the link selects is deselected', async () => {
    const { page } = await project.browser.open(`executions/${id}?step=check`)
    await page.getByRole('treeitem', { name: /check/, selected: true }).waitFor()
    expect(await page.getByRole('region', { name: /TypeError/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Close details' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.has('step')).toBe(false)
    await page.getByRole('region', { name: /TypeError/ }).waitFor()
  })

  it('opens in the editor of the settings, which this browser keeps', async () => {
    const { page, axe } = await project.browser.open(`executions/${id}`)
    const link = page.getByRole('link', { name: /^Open in/ })
    expect(await link.getAttribute('href')).toBe(`vscode://file${project.path('src/pay.ts')}:7:9`)
    await page.goto(new URL('/console/settings?tab=editor', page.url()).href)
    await chooseOption(page.getByRole('combobox', { name: 'Editor' }), 'Cursor')
    await page.getByLabel('Project directory on this computer').fill('/home/me/my shop')
    expect(await axe()).toEqual([])
    await page.goto(new URL(`/console/executions/${id}`, page.url()).href)
    expect(await link.getAttribute('href')).toBe('cursor://file/home/me/my%20shop/src/pay.ts:7:9')
    expect(await link.innerText()).toMatch('Open in Cursor')
  })

  it('is copied as Markdown with source, input and logs', async () => {
    const { page } = await project.browser.open(`executions/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    await page.getByText('Copied to clipboard').waitFor()
    const text = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(text).toMatch(/^# Workflow `pay` failed in step `charge`\n/)
    for (const part of [
      'TypeError: the card was declined `twice`',
      '`src/pay.ts:7:9`:',
      '> 7 |   throw',
      '## Caused by',
      '## Input\n\n```json\n{\n  "cents": 250\n}',
      'info checked the card',
    ])
      expect(text).toContain(part)
  })
})

it('a failed execution in production has its error without source', async () => {
  const production = new ConsoleProject({
    'agentserver.config.ts': project.read('agentserver.config.ts'),
    'src/pay.ts': project.read('src/pay.ts'),
  })
  try {
    await production.start('start')
    const failed = await production.execute('pay', { cents: 250 })
    const { page } = await production.browser.open(`executions/${failed}`)
    const card = page.getByRole('region', { name: /TypeError: the card was declined/ })
    await card.getByText('charge').first().waitFor()
    await card.getByText('Cause', { exact: true }).click()
    await card.getByText('RangeError: limit is 100', { exact: true }).waitFor()
    expect(await card.innerText()).not.toMatch(/pay\.ts|Stack|Open in/)
  } finally {
    await production.end()
  }
})
