import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { accessPolicy } from '../../../src/auth/access-policy.ts'
import { Gate } from '../../../src/auth/gate.ts'
import { resolveConfig } from '../../../src/config/config.ts'
import type { AgentServerConfig } from '../../../src/config/config.ts'
import type { ConfigChange } from '../../../src/contract/channels.ts'
import { Registry } from '../../../src/engine/registry.ts'
import { CurrentGeneration, programLoad } from '../../../src/server/current-generation.ts'

const root = path.resolve('/project')
const failure = {
  name: 'SyntaxError',
  message: `Unexpected token in ${path.join(root, 'steps.ts')}`,
  file: 'steps.ts',
  line: 3,
  column: 1,
  frame: null,
}

function currentGeneration(production = false) {
  const changes: ConfigChange[] = []
  const current = new CurrentGeneration({ root, production, onChange: (change) => changes.push(change) })
  const put = (config: AgentServerConfig = {}, load = programLoad()) => {
    const policy = accessPolicy({}, production)
    const generation = {
      config: resolveConfig(config, 'test'),
      registry: new Registry([], []),
      gate: new Gate({ policy, consoleKey: undefined, production }),
      userApp: undefined,
      storage: 'memory',
    }
    current.put(generation as unknown as Parameters<typeof current.put>[0], load)
  }
  return { current, changes, put }
}

describe('before the first load', () => {
  it('requests are refused, in development with the load error', () => {
    const { current } = currentGeneration()
    expect(() => current.get()).toThrow('The configuration has not loaded yet')
    current.fail(failure)
    expect(() => current.get()).toThrow(/has not loaded yet\n[^]*Unexpected token/)
  })

  it('the load error is not disclosed in production', () => {
    const { current } = currentGeneration(true)
    current.fail(failure)
    expect(() => current.get()).toThrow(/^The configuration has not loaded yet$/)
  })

  it('no host or origin is trusted', () => {
    expect(currentGeneration().current.trustedOrigins).toEqual({ allowedHosts: [], origins: [] })
  })
})

it('a load puts its generation into service, with paths relative to the project', () => {
  const { current, changes, put } = currentGeneration()
  let holds = 0
  const generation = {
    hold: () => {
      holds++
      return () => void holds--
    },
    files: [path.join(root, 'agentserver.config.ts')],
  }
  put({ allowedHosts: ['dev.example'] }, { ...programLoad(), generation })
  expect(current.get().files).toEqual(['agentserver.config.ts'])
  expect(current.trustedOrigins.allowedHosts).toEqual(['dev.example'])
  expect(changes.map(({ type }) => type)).toEqual(['config:loaded'])
  const release = current.get().hold()
  expect(holds).toBe(1)
  release()
  expect(holds).toBe(0)
})

it('a failed load keeps the generation in service, and a successful one clears the failure', () => {
  const { current, changes, put } = currentGeneration()
  put()
  current.fail(failure)
  expect(current.get().load.generation).toBe(1)
  expect(current.failure?.message).toBe('Unexpected token in steps.ts')
  expect(changes.at(-1)).toMatchObject({ type: 'config:error', data: { generation: 1 } })
  put()
  expect(current.failure).toBeUndefined()
})

it('after stop requests are refused', () => {
  const { current, put } = currentGeneration()
  put()
  current.stop()
  expect(() => current.get()).toThrow('The server is shutting down')
  expect(current.find()).toBeDefined()
  expect(current.isStopping).toBe(true)
})
