import { expect, test } from 'vitest'
import { generateSecrets } from '../../../../src/cli/init/plan-project.ts'

const EXAMPLE = '# a comment\nJWT_SECRET=\nCONSOLE_KEY= \n# OPENAI_API_KEY=\nPORT=3141\n'

test('secrets are made for the empty variables of .env.example', () => {
  const { text, names } = generateSecrets(EXAMPLE)
  expect(names).toEqual(['JWT_SECRET', 'CONSOLE_KEY'])
  expect(text).toMatch(/^JWT_SECRET=[0-9a-f]{64}\nCONSOLE_KEY=[0-9a-f]{64}\n$/)
  expect(generateSecrets(EXAMPLE).text).not.toBe(text)
})

test('secrets that .env has are kept, with everything else in it', () => {
  const old = "export JWT_SECRET='mine' # kept\nCONSOLE_KEY=\nOTHER=1"
  const { text, names } = generateSecrets(EXAMPLE, old)
  expect(names).toEqual(['CONSOLE_KEY'])
  expect(text).toMatch(/^export JWT_SECRET='mine' # kept\nCONSOLE_KEY=\nOTHER=1\nCONSOLE_KEY=[0-9a-f]{64}\n$/)
  expect(generateSecrets(EXAMPLE, text)).toEqual({ text, names: [] })
})
