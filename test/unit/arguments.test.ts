import * as library from 'agentserver'
import { createClient } from 'agentserver/client'
import { createServer } from 'agentserver/server'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { expect, it } from 'vitest'

type Call = (...values: unknown[]) => unknown

/** What JavaScript itself says when a member of a missing value is read. */
const RAW = /cannot (?:read|destructure|use)|is not (?:a function|iterable|an object)|undefined|of null/i

const functions = Object.entries({ ...library, createClient, createServer, createTestRunner, scriptedModel })
  .filter(([, value]) => typeof value === 'function' && !value.toString().startsWith('class '))
  .map(([name, value]) => [name, value as Call] as const)

it.each(functions)(
  '%s names itself when its first argument is missing or of another type',
  async (name, call) => {
    for (const value of [undefined, null, 7, 'text', () => 1]) {
      const thrown = await Promise.resolve()
        .then(() => call(value))
        .then(
          () => undefined,
          (error: unknown) => error as Error & { code?: string },
        )
      // problems of declarations are reported when the configuration is loaded
      if (thrown === undefined || thrown.code === 'invalid_config') continue
      expect(thrown.message).toContain(`${name}()`)
      expect(thrown.message.replaceAll('"undefined"', '').replace(/not (?:undefined|null)$/, '')).not.toMatch(
        RAW,
      )
    }
  },
)
