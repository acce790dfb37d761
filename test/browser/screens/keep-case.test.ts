import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const FILES = {
  'agentserver.config.ts': `
    import { createAgent, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'charge', execute: ({ data }) => ({ charged: data.amount }) })
    const model = scriptedModel(['Hello from the clerk'], { repeatLast: true })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be kind.', model })
    export default defineConfig({ workflows: [order], agents: [clerk] })
  `,
}
const project = new ConsoleProject(FILES)
beforeAll(() => project.start())
afterAll(() => project.end())

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Keep as case' })
const content = (page: Page) => dialog(page).getByRole('textbox', { name: 'Content of the file' })

async function openOfExecution(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Keep as case' }).click()
  await dialog(page).waitFor()
}

describe('keep as case', () => {
  it('shows the file of an execution, writes it where and as edited, and says where it is', async () => {
    const id = await project.execute('order', { amount: 250 })
    const { page, complaints, axeInBothThemes } = await project.browser.open(`executions/${id}`)
    await openOfExecution(page)
    const path = dialog(page).getByRole('textbox', { name: 'File', exact: true })
    await path.waitFor()
    expect(await path.inputValue()).toBe(`cases/order/${id}.json`)
    await content(page).getByText('"charged": 250').waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await path.fill('cases/orders/large.json')
    await dialog(page).getByLabel('Note').fill('Large orders')
    await content(page).getByText('"note": "Large orders"').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeInBothThemes()).toEqual([])
    await dialog(page).getByRole('button', { name: 'Write file' }).click()
    await dialog(page).getByText('Wrote cases/orders/large.json').waitFor()
    await dialog(page).getByText('agentserver eval cases/orders/large.json').waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(JSON.parse(project.read('cases/orders/large.json'))).toMatchObject({
      target: { workflow: 'order' },
      input: { amount: 250 },
      expected: { charged: 250 },
      note: 'Large orders',
      from: { executionId: id },
    })
    expect(complaints).toEqual([])
  })

  it('replaces a file only after the user has been told that it exists, with the expected output as edited', async () => {
    const id = await project.execute('order', { amount: 1 })
    const { page, complaints } = await project.browser.open(`executions/${id}`, { expected: /409|400/ })
    project.write({ 'cases/order/there.json': '{}' })
    await openOfExecution(page)
    const path = dialog(page).getByRole('textbox', { name: 'File', exact: true })
    await path.fill('../there.json')
    await dialog(page).getByRole('button', { name: 'Write file' }).click()
    await dialog(page).getByRole('alert').getByText('Must be cases/<name>/<id>.json').waitFor()
    await path.fill('cases/order/there.json')
    await content(page).fill('{')
    await dialog(page).getByText('Invalid JSON').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Write file' }).isDisabled()).toBe(true)
    await content(page).fill('{ "target": { "workflow": "order" }, "input": {}, "expected": "edited" }')
    await dialog(page).getByRole('button', { name: 'Write file' }).click()
    await dialog(page).getByText('This file exists').waitFor()
    expect(project.read('cases/order/there.json')).toBe('{}')
    await dialog(page).getByRole('button', { name: 'Replace file' }).click()
    await dialog(page).getByText('Wrote cases/order/there.json').waitFor()
    expect(project.read('cases/order/there.json')).toContain('"expected": "edited"')
    expect(complaints).toEqual([])
  })

  it('keeps a run of an agent', async () => {
    const response = await fetch(new URL('/agents/clerk/text', project.server.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input: 'Hi' }),
    })
    expect(response.status).toBe(200)
    const { page, complaints } = await project.browser.open('agents/clerk?tab=history')
    await page.getByRole('row').nth(1).click()
    await page.getByRole('button', { name: 'Keep as case' }).click()
    await content(page).getByText('Hello from the clerk').waitFor()
    await dialog(page).getByRole('button', { name: 'Write file' }).click()
    await dialog(page)
      .getByText(/Wrote cases\/clerk\/.*\.json/)
      .waitFor()
    expect(complaints).toEqual([])
  })
})

describe('keep as case under start', () => {
  const served = new ConsoleProject(FILES)
  beforeAll(() => served.start('start'))
  afterAll(() => served.end())

  it('shows the file to copy, and says that dev writes it', async () => {
    const id = await served.execute('order', { amount: 3 })
    const { page, complaints, axe } = await served.browser.open(`executions/${id}`)
    await openOfExecution(page)
    await dialog(page).getByText('This server does not write to the project').waitFor()
    await dialog(page).getByText(`cases/order/${id}.json`).waitFor()
    await dialog(page).getByText('"charged": 3').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Write file' }).count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})
