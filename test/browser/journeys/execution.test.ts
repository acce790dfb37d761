import fs from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionProject } from '../../support/browser/execution-project.ts'

const project = executionProject()
const ids: Record<string, string> = {}
const TABS = ['Events', 'Logs', 'Run']
const VIEWS = ['Graph', 'Compare', 'Timeline']

beforeAll(async () => {
  await project.start()
  ids['done'] = await project.execute('shipment', { to: 'home' })
  ids['failed'] = await project.execute('shipment', { to: 'abroad', fail: true })
})
afterAll(() => project.end())

function tree(page: Page) {
  return page.getByRole('tree', { name: 'Steps over time' })
}

describe('an execution, in both themes', () => {
  it('has no accessibility or CSP violations on any tab and in any view', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open(
      `executions/${ids['failed']}?step=load&with=${ids['done']}`,
    )
    for (const name of TABS) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tab', { name, selected: true }).waitFor()
      expect([name, await axeInBothThemes()]).toEqual([name, []])
    }
    for (const name of VIEWS) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
      expect([name, await axeInBothThemes()]).toEqual([name, []])
    }
    expect(complaints).toEqual([])
  })

  it('has none while it is suspended, in a narrow window, and in its dialogs', async () => {
    const id = await project.execute('order', { orderId: 'b', amount: 500 })
    const size = { width: 1024, height: 700 }
    const { page, complaints, axeInBothThemes } = await project.browser.open(`executions/${id}?step=charge`, {
      size,
    })
    await tree(page).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.keyboard.press('r')
    await page.getByRole('dialog', { name: /Replay/ }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: /Cancel/ }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

it.each([
  ['paid', 'Waiting for event payment with key A-1'],
  ['trial', 'Sleeping'],
  ['sale', 'Waiting for a child run'],
])('the banner of a suspended execution of %s says: %s', async (workflow, text) => {
  const id = await project.execute(workflow, {})
  const { page } = await project.browser.open(`executions/${id}`)
  const heading = page.getByRole('heading', { name: text })
  expect(await heading.innerText()).toMatch(/continues at/)
  expect(await heading.innerText()).not.toMatch(/Waiting for (approval|input)|waiting for event/)
})

describe('the timeline of an execution', () => {
  it('shows the steps in start order, with nested steps, attempts, child executions and log records below them', async () => {
    const { page } = await project.browser.open(`executions/${ids['failed']}`)
    const items = tree(page).getByRole('treeitem')
    await items.nth(16).waitFor()
    const texts = await page.evaluate(
      `[...document.querySelectorAll('[aria-label="Steps over time"] [role=treeitem]')].map((one) => one.ariaLevel + ' ' + one.innerText.split(/\\n(?=[×\\d])/)[0].replaceAll('\\n', ''))`,
    )
    expect(texts).toEqual([
      '1 book, andThen, completed, 2 attempts',
      '2 Attempt 1, failedno van in reach',
      '3 infobooking a van, log record, info',
      '2 Attempt 2, completed',
      '3 infobooking a van, log record, info',
      '1 quotes, andAll, completed',
      '2 swift, andThen, completed',
      '2 parcel, andThen, completed',
      '1 fastest, andRace, completed',
      '2 near, andThen, completed',
      '2 far, andThen, cancelled',
      '1 shape, andThen, completed',
      '1 label, andWorkflow, completed',
      '2 Label, workflow, completed',
      '3 print, step, completed',
      '1 abroad, andWhen, completed',
      '2 customs, andThen, completed',
      '1 load, andThen, failed',
      '2 errorExecution failed, log record, errorRangeError: too heavy',
      '1 warnWorkflow execution failed, log record, warn',
    ])
  })

  it('shows the error of the run, then the details and attempts of the selected step', async () => {
    const { page } = await project.browser.open(`executions/${ids['failed']}`)
    const card = page.getByRole('region', { name: 'RangeError: too heavy' })
    expect(await card.innerText()).toMatch(/src\/shipment\.ts:\d+:\d+/)
    await card.getByText('Cause', { exact: true }).click()
    await card.getByText('Error: over the weight limit', { exact: true }).waitFor()
    await tree(page).getByRole('treeitem', { name: /^load/ }).click()
    const panel = page.getByRole('region', { name: 'load', exact: true })
    expect(await panel.innerText()).toMatch(/RangeError: too heavy[\s\S]*shipment/)
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('load')
    await tree(page)
      .getByRole('treeitem', { name: /^book\W/ })
      .click()
    const book = page.getByRole('region', { name: 'book', exact: true })
    await book.getByText('2 attempts').waitFor()
    expect(await book.getByRole('list').innerText()).toMatch(/failed[\s\S]*no van in reach[\s\S]*completed/)
  })

  it('is operated by keyboard, and links to the execution of a nested workflow', async () => {
    const { page } = await project.browser.open(`executions/${ids['done']}?step=quotes`)
    await tree(page).focus()
    await page.keyboard.press('ArrowLeft')
    await expect
      .poll(() =>
        tree(page)
          .getByRole('treeitem', { name: /^swift/ })
          .count(),
      )
      .toBe(0)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('fastest')
    await page.getByRole('link', { name: 'Run of label' }).click()
    await page.getByRole('heading', { level: 1, name: 'Label' }).waitFor()
    await page.getByText('Parent', { exact: true }).waitFor()
  })
})

describe('a suspended execution', () => {
  it('shows what is asked, and goes on when it is approved', async () => {
    const id = await project.execute('order', { orderId: 'b', amount: 500 })
    const { page } = await project.browser.open(`executions/${id}`)
    const panel = page.getByRole('region', { name: /Waiting for approval: over limit/ })
    await expect.poll(() => panel.innerText()).toMatch(/Amount\s+500/)
    await panel.getByRole('button', { name: 'Approve' }).click()
    await page.locator('main').getByText('completed', { exact: true }).first().waitFor()
    await expect.poll(() => page.getByRole('tree', { name: 'Output' }).innerText()).toContain('ok: true')
  })

  it('is cancelled with a reason by keyboard', async () => {
    const id = await project.execute('order', { orderId: 'c', amount: 500 })
    const { page } = await project.browser.open(`executions/${id}?tab=events`)
    await page.getByRole('grid', { name: 'Events' }).waitFor()
    await page.keyboard.press('c')
    // it has the focus when it is shown
    await page.getByRole('textbox', { name: 'Reason' }).waitFor()
    await page.keyboard.type('nobody wants it')
    await page.keyboard.press('Enter')
    await page.locator('header').getByText('cancelled', { exact: true }).waitFor()
    await expect
      .poll(() => page.getByRole('grid', { name: 'Events' }).innerText())
      .toContain('nobody wants it')
  })
})

describe('a running execution', () => {
  it('shows each step live, and not while updates are paused', async () => {
    const started = await fetch(new URL('/workflows/slow/execute', project.server.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Prefer: 'respond-async' },
      body: JSON.stringify({ input: { n: 1 } }),
    })
    const { data } = (await started.json()) as { data: { executionId: string } }
    const { page } = await project.browser.open(`executions/${data.executionId}`)
    await tree(page)
      .getByRole('treeitem', { name: /^second.*running/ })
      .waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /^Resume updates/ }).waitFor()
    project.openGate()
    await page.getByRole('button', { name: 'Resume updates (5 new)' }).waitFor()
    expect(await tree(page).innerText()).not.toContain('third')
    await page.keyboard.press('Space')
    await tree(page)
      .getByRole('treeitem', { name: /^third.*completed/ })
      .waitFor()
    await page.locator('header').getByText('completed', { exact: true }).waitFor()
  })
})

describe('the replay of an execution', () => {
  it('previews the changed input, and opens the new execution, which links to the replayed one', async () => {
    const { page } = await project.browser.open(`executions/${ids['done']}?step=load`)
    await page.getByRole('region', { name: 'load', exact: true }).waitFor()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: /Replay/ })
    await dialog.locator('[data-editor]:not(.hidden)').waitFor()
    await dialog
      .getByLabel('Input of the step')
      .fill('{"won": "near", "to": "home", "printed": true, "heavy": true}')
    await expect.poll(() => dialog.getByRole('list').innerText()).toMatch(/heavy\s*\+ true/)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Replay of').waitFor()
    expect(new URL(page.url()).pathname).not.toContain(ids['done'])
    await page.locator('header').getByText('failed', { exact: true }).waitFor()
    const replay = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')

    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    const picker = page.getByRole('combobox', { name: /^Compare with/ })
    expect(await picker.innerText()).toBe(`replayed run: ${ids['done']}`)
    const grid = page.getByRole('grid', { name: 'Steps side by side' })
    await expect.poll(() => grid.getByRole('row', { name: /first difference/ }).innerText()).toMatch(/^load/)
    await expect
      .poll(() => page.getByRole('list', { name: 'Input differences' }).innerText())
      .toContain('heavy')

    await page.getByRole('button', { name: 'Timeline', exact: true }).click()
    await page.getByText('Replay of').locator('..').getByRole('link').click()
    await page.getByRole('link', { name: replay.slice(-12) }).waitFor()
  })
})

describe('the export of an execution', () => {
  it('copies a curl command and a link', async () => {
    const { page } = await project.browser.open(`executions/${ids['done']}`, {
      prepare: (context) => context.grantPermissions(['clipboard-read', 'clipboard-write']),
    })
    await tree(page).waitFor()
    await page.keyboard.press('Y')
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await expect.poll(copied).toMatch(/^curl .*http.*\/workflows\/shipment\/execute/)
    expect(await copied()).toContain(`-d '{"input":{"to":"home","fail":false}}'`)
    await page.keyboard.press('y')
    await expect.poll(copied).toMatch(new RegExp(`/console/executions/${ids['done']}$`))
  })

  it('opens the exported file in the same screen, read-only', async () => {
    const { page, complaints, axe } = await project.browser.open(`executions/${ids['failed']}`)
    await page.getByRole('button', { name: 'Actions' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
    const file = project.path('exported.json')
    await (await download).saveAs(file)
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Open exported file' }).click()
    const field = page.getByLabel(/Choose a file/)
    await field.setInputFiles({
      name: 'x.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"id":1}'),
    })
    await page.getByText('The file has no run: "id" is missing').waitFor()
    expect(await axe()).toEqual([])
    await field.setInputFiles({ name: 'y.json', mimeType: 'application/json', buffer: fs.readFileSync(file) })
    await tree(page)
      .getByRole('treeitem', { name: /^load.*failed/ })
      .waitFor()
    await page.getByText('from a file').waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('a missing or hostile execution', () => {
  it('shows the error of the server', async () => {
    const { page, axe } = await project.browser.open('executions/nobody', { expected: /404/ })
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/404[\s\S]*Request id/)
    expect(await axe()).toEqual([])
  })

  it('shows hostile text as text: nothing is executed, nothing overflows', async () => {
    const id = await project.execute('hostile', {})
    const { page, complaints } = await project.browser.open(`executions/${id}?step=say`)
    const expectIntact = async () => {
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(
        await page.evaluate(
          'document.querySelector("main").scrollWidth <= document.querySelector("main").clientWidth',
        ),
      ).toBe(true)
    }
    for (const name of TABS) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tab', { name, selected: true }).waitFor()
      await expectIntact()
    }
    const panel = page.getByRole('region', { name: /^Suspended/ })
    await panel.getByText('Resume data (optional)').click()
    await panel.locator('[data-editor]:not(.hidden)').waitFor()
    await panel.getByLabel('Resume data').fill('1')
    await panel.getByRole('button', { name: 'Resume' }).click()
    await page.locator('header').getByText('failed', { exact: true }).waitFor()
    await expectIntact()
    expect(complaints.filter((text) => !text.includes('500'))).toEqual([])
  })
})
