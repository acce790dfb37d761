import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliProject } from '../../support/project/cli-project.ts'
import type { RunningServer } from '../../support/project/cli-project.ts'
import { until } from '../../support/until.ts'

/** Agents whose model takes forever until the file `go` exists. */
const FILES = {
  'package.json': '{ "name": "killed", "type": "module" }',
  'agentserver.config.ts': `
    import fs from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { createAgent, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'

    const scripted = scriptedModel([{ text: 'Hello', usage: { inputTokens: 20, outputTokens: 10 } }], { repeatLast: true })
    const call = (way) => async (options) => {
      fs.appendFileSync('calls', 'x')
      while (!fs.existsSync('go')) await wait(20, undefined, { signal: options.abortSignal })
      return scripted[way](options)
    }
    const model = { ...scripted, doGenerate: call('doGenerate'), doStream: call('doStream') }
    const agent = (id, resumable) => createAgent({
      id, name: id, instructions: 'x', model, resumable, budgets: [{ per: 'agent', tokens: 2500, every: '24h' }],
    })
    export default defineConfig({ agents: [agent('plain', false), agent('kept', true)] })
  `,
}

describe('the reservation of a call that kill -9 cut off', () => {
  let project: CliProject
  beforeEach(() => {
    project = new CliProject(FILES)
  })
  afterEach(() => project.end())

  it('stays until the call is settled when it is repeated, and otherwise', async () => {
    const server = await project.serve('dev')
    const asked = ['plain', 'kept'].map((id) =>
      fetch(new URL(`/agents/${id}/stream`, server.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Hi' }),
      })
        .then((response) => response.text())
        .catch(() => 'killed'),
    )
    await until(() => callsOf(project) === 2, 'two calls')
    const reserved = await used(server)
    for (const tokens of Object.values(reserved)) expect(tokens).toBeGreaterThan(1000)
    await server.kill('SIGKILL')
    await Promise.all(asked)

    const restarted = await project.serve('dev')
    await until(() => callsOf(project) === 3, 'the repetition')
    expect(await used(restarted)).toEqual(reserved)
    project.write({ go: '' })
    await until(async () => (await used(restarted))['kept'] === 30, 'its end')
    expect(await used(restarted)).toEqual({ plain: reserved['plain'], kept: 30 })
  })
})

function callsOf(project: CliProject): number {
  const file = project.path('calls')
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0
}

/** The used tokens by agent. */
async function used(server: RunningServer): Promise<Record<string, number>> {
  const { data } = await server.get('/observability/costs')
  const budgets = data.budgets as readonly { declaredOn: string; usedTokens: number }[]
  return Object.fromEntries(
    budgets.map(({ declaredOn, usedTokens }) => [declaredOn.replace('agent ', ''), usedTokens]),
  )
}
