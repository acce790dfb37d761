import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

/** Names with markup, bidirectional characters, and more text than fits on a screen. */
const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  `\u202Egnp.exe \u001B[31mred\u0000`,
  'W'.repeat(3000),
  '🧨👩‍👩‍👧‍👦 ﷽ </script><script>document.title=1</script>',
]

const FILES = {
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import * as workflows from './src/workflows.ts'
    export default defineConfig({ workflows: Object.values(workflows) })
  `,
  'src/workflows.ts': `
    import { andAll, andRace, andThen, createAgent, createWorkflow, demoModel } from 'agentserver'
    import { z } from 'zod'

    const wait = (ms, signal) => new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => { clearTimeout(timer); resolve() })
    })
    const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Write', model: demoModel() })

    export const child = createWorkflow({ id: 'child', name: 'Child' })
      .andThen({ id: 'only', execute: async ({ data }) => data })

    export const order = createWorkflow({ id: 'order', name: 'Order', purpose: 'Ship an order',
      inputSchema: z.object({ orderId: z.string().min(2), amount: z.number().int().min(1),
        lines: z.array(z.object({ sku: z.string().min(1) })).default([]) }) })
      .andThen({ id: 'charge', name: 'Charge', purpose: 'Takes the money',
        retries: { limit: 2, delayMs: 20 }, timeoutMs: 5000,
        outputSchema: z.object({ orderId: z.string(), amount: z.number(), lines: z.array(z.any()) }),
        execute: async ({ data, attempt }) => {
          if (attempt === 1) throw new Error('busy')
          return data
        } })
      .andAll({ id: 'checks', name: 'Checks', steps: [
        andThen({ id: 'stock', name: 'Stock', execute: async () => 1 }),
        andRace({ id: 'rates', name: 'Rates', steps: [
          andThen({ id: 'quick', name: 'Quick', execute: async () => 1 }),
          andThen({ id: 'late', name: 'Late', execute: ({ signal }) => wait(60000, signal) }),
        ] }),
      ] })
      .andThen({ id: 'merge', execute: async ({ input }) => input })
      .andWhen({ id: 'big', name: 'Over the limit', condition: ({ data }) => data.amount > 100, step: andThen({
        id: 'approve', name: 'Approve', resumeSchema: z.object({ ok: z.boolean(), by: z.string().min(1) }),
        execute: async ({ data, suspend, resumeData }) =>
          resumeData ? { ...data, ...resumeData } : suspend('over limit', { amount: data.amount }) }) })
      .andTap({ id: 'audit', name: 'Audit', execute: async () => undefined })
      .andAgent({ id: 'summary', name: 'Summary', agent: writer, prompt: 'Sum up',
        map: ({ data }) => data })
      .andWorkflow({ id: 'ship', name: 'Ship', workflow: child })

    export const reacting = createWorkflow({ id: 'reacting', name: 'Reacting',
        inputSchema: z.object({ id: z.string(), rush: z.boolean().optional() }),
        examples: [{ id: 'r-1' }, { id: 'r-2', rush: true }],
        on: [{ event: 'order.created', key: 'eu' }, { event: 'order.paid', filter: () => true }],
        cancelOn: [{ event: 'order.cancelled', key: ({ input }) => input.id }],
        debounce: { per: '5s' }, onEnd: () => undefined, onError: () => undefined })
      .andThen({ id: 'charge', execute: async () => 1, compensate: () => undefined })
      .andThen({ id: 'ship', execute: async () => 2 })

    export const slow = createWorkflow({ id: 'slow', name: 'Slow' })
      .andThen({ id: 'wait', execute: async ({ data, signal }) => { await wait(60000, signal); return data } })

    export const broken = createWorkflow({ id: 'broken', name: 'Broken' })
      .andThen({ id: 'pay', execute: async () => { throw new RangeError('card declined') } })

    const names = ${JSON.stringify(HOSTILE)}
    export const hostile = createWorkflow({ id: 'hostile', name: names[0], purpose: names[2] },
      ...names.map((name, n) => andThen({ id: 's' + n, name, purpose: name, execute: async () => name })))
  `,
}

const project = new ConsoleProject(FILES)
beforeAll(() => project.start())
afterAll(() => project.end())

const isList = (url: URL) => url.pathname === '/workflows'
const treeOf = (page: Page) => page.getByRole('tree', { name: /^Steps of/ })
const itemOf = (page: Page, name: RegExp) => treeOf(page).getByRole('treeitem', { name })
const runPanel = (page: Page) => page.getByRole('region', { name: 'Run', exact: true })

describe('the workflow screens, in both themes', () => {
  it('have no accessibility or CSP violations on any tab', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('workflows')
    await page.locator('[data-card]').filter({ hasText: 'Ship an order' }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('link', { name: 'Order', exact: true }).click()
    await itemOf(page, /Charge/).click()
    await page.locator('.react-flow__node').first().waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.getByRole('tree', { name: 'output schema of charge' }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('tree', { name: 'Input schema as JSON' }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Runs' }).click()
    await page.getByRole('search', { name: 'Filters' }).waitFor()
    await page.setViewportSize({ width: 1024, height: 700 })
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Graph' }).click()
    await page.locator('.react-flow__node').first().waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('a workflow that reacts to events', () => {
  it('shows the events that start and cancel it, its debounce, its hooks and its compensations', async () => {
    const { page, axe, complaints } = await project.browser.open('workflows/reacting')
    const facts = page.getByLabel('Events and hooks')
    await expect
      .poll(async () => (await facts.innerText()).replaceAll(/\s+/g, ' '))
      .toBe(
        'Starts on order.created (key: eu) order.paid (filtered) Debounce the last event of 5.00 s ' +
          'Cancelled on order.cancelled (key of a function) Hooks onError, onEnd',
      )
    await page.locator('.react-flow__node').filter({ hasText: 'charge' }).click()
    await page.getByText('called when the run fails').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.getByRole('row', { name: /charge andThen, with compensation/ }).waitFor()
    expect(complaints).toEqual([])
    await page.goto(page.url().replace('reacting', 'slow'))
    await page.getByRole('tab', { name: 'Graph' }).waitFor()
    expect(await facts.count()).toBe(0)
  })
})

describe('the list of workflows', () => {
  it('shows steps, last run and success rate of each', async () => {
    await project.execute('broken', {})
    const { page } = await project.browser.open('workflows')
    const cards = page.locator('[data-card]')
    const broken = cards.filter({ hasText: 'broken' })
    await expect.poll(() => broken.innerText()).toMatch(/1 step[\s\S]*0 % completed[\s\S]*failed/)
    await broken.getByRole('img', { name: /Last \d+ runs: \d+ failed/ }).waitFor()
    expect(await cards.filter({ hasText: 'Ship an order' }).innerText()).toContain('7 steps')
    await page.keyboard.press('f')
    await page.keyboard.type('ship')
    await expect.poll(() => cards.count()).toBe(1)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=ship')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order' }).waitFor()
  })

  it('shows cards with the last runs below 12 workflows, and a table from 12 on', async () => {
    const { page, axe } = await project.browser.open('workflows')
    const card = page.locator('[data-card]').filter({ hasText: 'broken' })
    const runs = card.getByRole('list', { name: 'Last runs' })
    await project.execute('broken', {})
    await expect.poll(() => runs.innerText()).toMatch(/failed\s+\d+.* ms · /)
    expect(await axe()).toEqual([])
    await runs.getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/executions\/.+/)
    const all: any = await (await fetch(new URL('/workflows', project.server.url))).json()
    const many = Array.from({ length: 12 }, (_, index) => ({ ...all.data[0], id: `w${index}` }))
    await page.route(isList, (route) => route.fulfill({ json: { success: true, data: many } }))
    await page.goto(new URL('/console/workflows', project.server.url).href)
    await expect.poll(() => page.getByRole('grid', { name: 'Workflows' }).getByRole('row').count()).toBe(13)
    expect(await page.locator('[data-card]').count()).toBe(0)
  })

  it('has an empty and a no-match state', async () => {
    const { page } = await project.browser.open('workflows?q=nowhere')
    await page.getByText('No workflows match these filters').waitFor()
    await page.route(isList, (route) => route.fulfill({ json: { success: true, data: [] } }))
    await page.goto(page.url().replace('?q=nowhere', ''))
    await page.getByText('No workflows yet').waitFor()
    expect(await page.getByRole('group', { name: 'Code' }).innerText()).toContain('createWorkflow(')
  })

  it('shows the error of a failed request, and retries', async () => {
    let status = 500
    const failure = { status: 500, json: { success: false, error: 'No' }, headers: { 'x-request-id': 'r1' } }
    const { page } = await project.browser.open('workflows', {
      expected: /500/,
      prepare: (context) =>
        context.route(isList, (route) => (status === 500 ? route.fulfill(failure) : route.continue())),
    })
    await page.getByText('Request failed: HTTP 500').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('r1')
    status = 200
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('list', { name: 'Workflows' }).waitFor()
  })
})

describe('the graph', () => {
  it('and its list show all step types and nested steps', async () => {
    const { page } = await project.browser.open('workflows/order')
    await itemOf(page, /Charge/).waitFor()
    const texts = await page.evaluate(`[...document.querySelectorAll('[role=treeitem]')].map((one) =>
      one.ariaLevel + ' ' + one.innerText.split(/\\s+/).join(' '))`)
    expect(texts).toEqual([
      '1 Charge andThen',
      '1 Checks andAll, all of:',
      '2 Stock andThen',
      '2 Rates andRace, first of:',
      '3 Quick andThen',
      '3 Late andThen',
      '1 merge andThen',
      '1 Over the limit andWhen, if:',
      '2 Approve andThen',
      '1 Audit andTap',
      '1 Summary andAgent',
      '1 Ship andWorkflow',
    ])
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(12)
    expect(await page.locator('.react-flow__edge').count()).toBe(6)
    expect(await page.locator('.react-flow__node', { hasText: 'Summary' }).innerText()).toContain(
      'andAgent · writer',
    )
  })

  it('is operated by keyboard, and shows the details of a step', async () => {
    const { page, axe } = await project.browser.open('workflows/order')
    await itemOf(page, /Charge/).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Step Checks' }).waitFor()
    expect(new URL(page.url()).searchParams.get('step')).toBe('checks')
    await page.locator('.react-flow__node', { hasText: 'Charge' }).click()
    const facts = page.getByRole('region', { name: 'Step Charge' })
    await facts.waitFor()
    const text = await facts.innerText()
    expect(text).toContain('Takes the money')
    expect(text).toMatch(/2, first after 20 ms, ×2/)
    expect(text).toContain('5.00 s')
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await facts.waitFor({ state: 'detached' })
  })

  it('zooms and fits by button and keyboard', async () => {
    const { page } = await project.browser.open('workflows/order')
    const viewport = page.locator('.react-flow__viewport')
    const scale = async () =>
      Number(/scale\(([\d.]+)\)/.exec((await viewport.getAttribute('style')) ?? '')?.[1])
    await viewport.waitFor({ state: 'attached' })
    await expect.poll(scale).toBeGreaterThan(0.5)
    const before = await scale()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(scale).toBeGreaterThan(before)
    await page.getByRole('group', { name: /^Steps of Order, graph/ }).focus()
    await page.keyboard.press('0')
    await expect.poll(scale).toBeLessThanOrEqual(1)
    await page.keyboard.press('-')
    await expect.poll(scale).toBeLessThan(before)
  })
})

describe('the run form', () => {
  it('shows validation errors at their fields', async () => {
    const { page, axe } = await project.browser.open('workflows/order', { expected: /400|409/ })
    await page.keyboard.press('r')
    await page.getByLabel('orderId').fill('x')
    await page.getByLabel('amount').fill('1.5')
    await page.getByRole('button', { name: 'Add to lines' }).click()
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(3)
    const note = async (label: string) =>
      page
        .locator(`#${CSS_ESCAPE(await page.getByLabel(label).getAttribute('aria-describedby'))}`)
        .innerText()
    expect(await note('orderId')).toMatch(/2/)
    expect(await note('amount')).toMatch(/whole number/)
    expect(await axe()).toEqual([])
    expect(new URL(page.url()).search).toBe('')
  })

  it('sends options, restores its last input, and can be reset', async () => {
    const { page } = await project.browser.open('workflows/order', { expected: /409/ })
    await page.getByLabel('orderId').fill('kept')
    await page.getByLabel('amount').fill('3')
    await page.getByText('Options').click()
    await page.getByLabel('User id').fill('u-7')
    await page.getByLabel('Run id').fill('taken-1')
    await page.getByLabel('Context (JSON)').fill('{"region":')
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Context (JSON)').fill('{"region":"eu"}')
    await page.keyboard.press('Control+Enter')
    await runPanel(page).getByText('completed').first().waitFor()
    const { data } = await project.server.get('/observability/executions/taken-1')
    expect(data).toMatchObject({
      userId: 'u-7',
      context: { region: 'eu' },
      input: { orderId: 'kept', amount: 3 },
    })
    await page.goto(page.url().split('?')[0] ?? '')
    expect(await page.getByLabel('orderId').inputValue()).toBe('kept')
    // the id now exists
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.getByLabel('Run id').getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => page.getByLabel('orderId').inputValue()).toBe('')
    await page.reload()
    expect(await page.getByLabel('orderId').inputValue()).toBe('')
  })

  it('starts with the first example, and takes other examples and the inputs of earlier runs', async () => {
    const { page, complaints, axe } = await project.browser.open('workflows/reacting')
    const id = runPanel(page).getByRole('textbox', { name: /^id/ })
    expect(await id.inputValue()).toBe('r-1')
    await page.getByRole('button', { name: 'Inputs' }).click()
    await page.getByRole('menuitem', { name: 'Example {"id":"r-2","rush":true}' }).click()
    await expect.poll(() => id.inputValue()).toBe('r-2')
    await id.fill('r-3')
    await page.keyboard.press('Control+Enter')
    await runPanel(page).getByText('completed').first().waitFor()
    await page.getByRole('tab', { name: 'Runs' }).click()
    await page.getByRole('button', { name: 'Run again with this input' }).first().click()
    await expect.poll(() => id.inputValue()).toBe('r-3')
    await page.getByRole('button', { name: 'Inputs' }).click()
    await page.getByRole('menuitem', { name: 'Recent {"id":"r-3","rush":true}' }).waitFor()
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is copied as curl and client code', async () => {
    const { page } = await project.browser.open('workflows/order', {
      prepare: (context) => context.grantPermissions(['clipboard-read', 'clipboard-write']),
    })
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    await page.getByLabel('orderId').fill("it's")
    await page.getByLabel('amount').fill('3')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('menuitem', { name: 'As curl', exact: true }).click()
    await expect
      .poll(copied)
      .toContain(`curl -sN ${project.server.url.replace(/\/$/, '')}/workflows/order/execute`)
    expect(await copied()).toContain(String.raw`it'\''s`)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('menuitem', { name: 'As client code' }).click()
    await expect.poll(copied).toContain('client.executeWorkflow(')
    await page.locator('h1').click()
    await page.keyboard.press('y')
    await expect.poll(copied).toContain('/console/workflows/order')
    await page.keyboard.press('Y')
    await expect.poll(copied).toContain('curl -sN')
  })
})

describe('a run', () => {
  it('updates the graph, and is resumed with its form', async () => {
    const { page, complaints, axe } = await project.browser.open('workflows/order', { expected: /400/ })
    await page.getByLabel('orderId').fill('A-1')
    await page.getByLabel('amount').fill('500')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await itemOf(page, /Approve.*suspended/).waitFor()
    // the form is collapsed, and the focus stays in the panel
    expect(await runPanel(page).evaluate('document.activeElement.ariaLabel')).toBe('Run')
    await itemOf(page, /Charge.*×2.*completed/).waitFor()
    await itemOf(page, /Late.*cancelled/).waitFor()
    await expect
      .poll(() => page.locator('.react-flow__node', { hasText: 'Approve' }).last().innerText())
      .toContain('suspended')
    const resume = page.getByRole('region', { name: /Waiting for approval: over limit/ })
    await resume.waitFor()
    expect(await axe()).toEqual([])
    // the only required boolean of the schema is the choice of two buttons
    await resume.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => resume.locator('[aria-invalid=true]').count()).toBe(1)
    await resume.getByLabel('by').fill('ann')
    await resume.getByRole('button', { name: 'Approve' }).click()
    await runPanel(page).getByRole('tree', { name: 'Result' }).waitFor()
    expect(await runPanel(page).innerText()).toContain('"ann"')
    await itemOf(page, /Ship.*completed/).waitFor()
    const events = runPanel(page).getByRole('grid', { name: 'Events' })
    await expect.poll(() => events.innerText()).toContain('workflow-result')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
    await page.getByRole('link', { name: 'Run', exact: true }).click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/executions\/.+/)
  })

  it('is restored from its URL', async () => {
    const { page } = await project.browser.open('workflows/order')
    await page.getByLabel('orderId').fill('A-2')
    await page.getByLabel('amount').fill('5')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.poll(() => new URL(page.url()).search).toMatch(/execution/)
    await itemOf(page, /Over the limit.*skipped/).waitFor()
    await page.reload()
    await itemOf(page, /Over the limit.*skipped/).waitFor()
    await runPanel(page).getByRole('tree', { name: 'Result' }).waitFor()
    await page.getByRole('button', { name: 'Close run' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    expect(await itemOf(page, /skipped/).count()).toBe(0)
  })

  it('is cancelled by keyboard', async () => {
    const { page } = await project.browser.open('workflows/slow')
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    await itemOf(page, /wait.*running/).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Cancel Slow?' })
    await dialog.getByLabel('Reason').fill('no more')
    await page.keyboard.press('Enter')
    await itemOf(page, /wait.*cancelled/).waitFor()
    await expect.poll(() => runPanel(page).getByRole('status').allInnerTexts()).toContain('cancelled')
  })

  it('shows the failed step and location', async () => {
    const { page, axe } = await project.browser.open('workflows/broken')
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    const panel = runPanel(page)
    await panel.getByText('RangeError: card declined').first().waitFor()
    expect(await panel.innerText()).toMatch(/src\/workflows\.ts:\d+/)
    await panel.getByRole('button', { name: 'pay' }).click()
    await page.getByRole('region', { name: 'Step pay' }).waitFor()
    expect(await axe()).toEqual([])
  })
})

describe('hostile names', () => {
  it.each(['', '?tab=steps', '?step=s2'])(
    'are neither executed nor overflow the page: hostile%s',
    async (address) => {
      const { page, complaints } = await project.browser.open(`workflows/hostile${address}`)
      await page.getByText('</script>').first().waitFor()
      await page.keyboard.press('Control+Enter')
      if (address === '') await runPanel(page).getByText('completed').first().waitFor()
      expect(await page.title()).not.toBe('1')
      const beyond = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(beyond).toBe(0)
      const main = await page.evaluate(
        `(() => { const { scrollWidth, clientWidth } = document.querySelector('main'); return scrollWidth - clientWidth })()`,
      )
      expect(main).toBe(0)
      expect(complaints).toEqual([])
    },
  )
})

describe('a reload of the configuration', () => {
  it('updates the graph without reloading the page', async () => {
    const { page } = await project.browser.open('workflows/slow')
    await page.evaluate('globalThis.sameDocument = true')
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(1)
    const whole = project.read('src/workflows.ts')
    const more = `id: 'slow', name: 'Slow, but more' }).andThen({ id: 'fresh', name: 'Fresh', execute: async ({ data }) => data })`
    project.write({ 'src/workflows.ts': whole.replace(`id: 'slow', name: 'Slow' })`, more) })
    await itemOf(page, /Fresh/).waitFor()
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(2)
    await page.getByRole('heading', { level: 1, name: 'Slow, but more' }).waitFor()
    project.write({ 'src/workflows.ts': whole.replace('export const slow =', 'const slow =') })
    await page.getByText('Workflow "slow" not found').waitFor()
    project.write({ 'src/workflows.ts': whole })
    await itemOf(page, /wait/).waitFor()
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true)
  })
})

/** Escapes an id for a selector: ids of React contain colons. */
function CSS_ESCAPE(id: string | null): string {
  return (id ?? '').replaceAll(/[^\w-]/g, String.raw`\$&`)
}
