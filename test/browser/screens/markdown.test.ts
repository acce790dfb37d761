import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { newestTrace } from '../../support/browser/traced-project.ts'

const FENCE = '```'

const TEXT = `# Result

A **bold** word, ~~no longer~~, \`inline\`, www.example.com and [the docs][docs].

1. First
   - nested
2. Second

- [x] sent
- [ ] paid

| Name | Sum |
|:-----|----:|
| tea  | 3 |

> quoted

${FENCE}ts
const sum: number = 42 // the answer
${FENCE}

[docs]: https://docs.example/page
`

/** What must neither run, load nor link. */
const HOSTILE = [
  '<img src="https://evil.example/a.png" onerror="globalThis.harm = 1"><script>globalThis.harm = 2</script>',
  '<iframe src="https://evil.example"></iframe>\n<style>body { display: none }</style>',
  '![pixel](https://evil.example/p.png) [![inner](https://evil.example/q.png)](https://good.example/)',
  '[one](javascript:globalThis.harm=3) [two](data:text/html,x) [three](vbscript:x) [four](file:///etc/passwd)',
  '[five](JaVaScRiPt:alert) [six](  javascript:x) [seven](\u0001javascript:x) [eight](//evil.example) [nine](/executions)',
  '<javascript:globalThis.harm=4> [ten]: javascript:x "t"\n\n[ten]\n\n[mail](mailto:a@b.example)',
  'A note[^1].\n\n[^1]: <b onclick="globalThis.harm=5">note</b>',
  `\u202Eright to left\u202C ${'W'.repeat(500)} \u0000`,
  `${FENCE}html\n<script>globalThis.harm = 6</script>\n${FENCE}`,
  `${FENCE}js\n${'`${'.repeat(3000)}\n${FENCE}`,
  `${FENCE}__proto__\nx\n${FENCE}`,
  `${'>'.repeat(3000)} quoted`,
  `${'1. '.repeat(1000)}item`,
  '['.repeat(5000),
  '*a_ '.repeat(1500),
  `| ${'x | '.repeat(300)}\n|${'-|'.repeat(300)}\n| ${'y | '.repeat(300)}`,
].join('\n\n')

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const instructions = 'Help with **orders**.'
    const agent = (id, text) => createAgent({ id, name: id, instructions, model: scriptedModel([text], { repeatLast: true }) })
    const section = (n) => \`## Part \${n}\\n\\nText with **bold** and \\\`code\\\`.\\n\\n- one\\n- [x] two\\n\\n| a | b |\\n|---|---|\\n| \${n} | 2 |\\n\\n\\\`\\\`\\\`ts\\nconst n = \${n}\\n\\\`\\\`\\\`\\n\\n\`
    export default defineConfig({ agents: [
      agent('writer', ${JSON.stringify(TEXT)}),
      agent('hostile', ${JSON.stringify(HOSTILE)}),
      agent('long', Array.from({ length: 1800 }, (_, n) => section(n)).join('')),
    ] })
  `,
})

beforeAll(() => project.start())
afterAll(() => project.end())

async function ask(page: Page): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill('Go')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
}

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })

describe('an answer in Markdown, in both themes', () => {
  it('is shown as GitHub shows it, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('agents/writer')
    await ask(page)
    const answer = log(page).getByRole('article', { name: 'writer' })
    await answer.locator('td').getByText('tea').waitFor()
    expect(await answer.locator('strong').innerText()).toBe('bold')
    expect(await answer.locator('del').innerText()).toBe('no longer')
    expect(await answer.locator('ol > li').allInnerTexts()).toHaveLength(2)
    expect(await answer.locator('ol ul li').innerText()).toBe('nested')
    expect(await answer.getByRole('checkbox', { name: 'Done', exact: true }).isChecked()).toBe(true)
    expect(await answer.getByRole('checkbox', { name: 'Not done' }).isChecked()).toBe(false)
    expect(await answer.locator('td').last().getAttribute('style')).toBe('text-align: right;')
    expect(await answer.locator('blockquote').innerText()).toBe('quoted')
    expect(await answer.getByRole('link', { name: 'the docs' }).getAttribute('href')).toBe(
      'https://docs.example/page',
    )
    expect(await answer.getByRole('link', { name: 'www.example.com' }).getAttribute('rel')).toMatch(
      /noopener noreferrer/,
    )
    const code = answer.getByRole('group', { name: 'Code, ts' })
    await code.locator('span').getByText('const', { exact: true }).waitFor()
    const parts = await code.locator('span').all()
    const looks = await Promise.all(parts.map((part) => part.getAttribute('class')))
    expect(new Set(looks).size).toBeGreaterThan(2)
    expect(await code.innerText()).toBe('const sum: number = 42 // the answer')
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('a hostile answer', () => {
  it('runs nothing, loads nothing and links to web pages only', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/hostile', {
      size: { width: 390, height: 800 },
    })
    await ask(page)
    const answer = log(page).getByRole('article', { name: 'hostile' })
    await answer.getByRole('link', { name: 'pixel' }).waitFor()
    expect(await page.evaluate('globalThis.harm')).toBeUndefined()
    expect(await answer.locator('img, script, style, iframe, a a').count()).toBe(0)
    const links = await answer.locator('a').all()
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')))
    expect(addresses).toEqual([
      'https://evil.example/p.png',
      'https://good.example/',
      'mailto:a@b.example',
      expect.stringMatching(/^\/console\/traces\//),
      expect.stringMatching(/^\/console\/agents\/hostile\/lab\?trace=/),
    ])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await answer.innerText()).toContain('<script>globalThis.harm = 2</script>')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** The longest time in which the page drew nothing, in milliseconds. */
const LONGEST_FRAME = `new Promise((done) => {
  globalThis.longestFrame = 0
  let last = performance.now()
  const next = (now) => {
    globalThis.longestFrame = Math.max(globalThis.longestFrame, now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
  done()
})`

describe('an answer of 200 kB', () => {
  it('is shown to its end while it streams', async () => {
    const { page, complaints } = await project.browser.open('agents/long')
    await page.evaluate(LONGEST_FRAME)
    await ask(page)
    await log(page).getByRole('cell', { name: '1799', exact: true }).waitFor()
    console.info(
      `The longest frame: ${Math.round(Number(await page.evaluate('globalThis.longestFrame')))} ms`,
    )
    expect(await log(page).locator('table').count()).toBeGreaterThan(5)
    // parts out of view are rendered when they come into it
    await log(page).getByText('## Part 60 Text').scrollIntoViewIfNeeded()
    await log(page).getByRole('cell', { name: '60', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('messages in a span', () => {
  it('are shown as Markdown', async () => {
    const { page, complaints, axe } = await project.browser.open('agents/writer')
    await ask(page)
    const trace = await newestTrace(project, 'agentId=writer')
    await page.goto(new URL(`/console/traces/${trace}`, project.server.url).href)
    await page.getByRole('treeitem', { name: /^scripted/ }).click()
    const panel = page.getByRole('region', { name: /^scripted/ })
    await panel.locator('td').getByText('tea').waitFor()
    expect(await panel.locator('strong').allInnerTexts()).toContain('bold')
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})
