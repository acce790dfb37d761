import { describe, expect, test } from 'vitest'
import { mergePackageJson } from '../../../../src/cli/init/package-json.ts'

const template = {
  name: 'my-agentserver',
  dependencies: { agentserver: 'file:../clone', zod: '^4.6.7' },
  devDependencies: { vitest: '^4.1.12' },
}

describe('merging a package.json', () => {
  test('adds missing dependencies in order and changes nothing else', () => {
    const old = {
      name: 'shop',
      dependencies: { acme: '1', zoo: '2' },
      scripts: { dev: 'vite' },
      custom: [1],
    }
    const { text, name, added } = mergePackageJson(JSON.stringify(old, null, 2), template)

    expect(JSON.parse(text)).toEqual({
      ...old,
      dependencies: { acme: '1', agentserver: 'file:../clone', zod: '^4.6.7', zoo: '2' },
      devDependencies: { vitest: '^4.1.12' },
    })
    expect(Object.keys(JSON.parse(text))).toEqual([
      'name',
      'dependencies',
      'scripts',
      'custom',
      'devDependencies',
    ])
    expect(Object.keys(JSON.parse(text).dependencies)).toEqual(['acme', 'agentserver', 'zod', 'zoo'])
    expect({ name, added }).toEqual({ name: 'shop', added: ['agentserver', 'zod', 'vitest'] })
  })

  test('keeps the range of an existing dependency of any kind', () => {
    const old = {
      dependencies: { vitest: '3' },
      peerDependencies: { zod: '*' },
      optionalDependencies: { agentserver: '0' },
    }
    expect(mergePackageJson(JSON.stringify(old), template)).toMatchObject({
      text: JSON.stringify(old),
      added: [],
    })
  })

  test('keeps the order of unsorted dependencies', () => {
    const { text } = mergePackageJson('{"dependencies":{"zoo":"2","acme":"1"}}', template)
    expect(Object.keys(JSON.parse(text).dependencies)).toEqual(['zoo', 'acme', 'agentserver', 'zod'])
  })

  test.each([
    ['tabs', '{\n\t"name": "shop"\n}\n', /^\{\n\t"name": "shop",\n\t"dependencies": \{\n\t\t"agentserver"/],
    ['four spaces and no final newline', '{\n    "name": "shop"\n}', /\n {4}"dependencies"[^]*\}$/],
    ['Windows line endings', '{\r\n  "name": "shop"\r\n}\r\n', /^\{\r\n {2}"name": "shop",\r\n[^]*\}\r\n$/],
    ['a byte order mark', '\uFEFF{\n  "name": "shop"\n}', /^\uFEFF\{\n {2}"name"/],
  ])('keeps %s', (_, old, expected) => {
    const { text } = mergePackageJson(old, template)
    expect(text).toMatch(expected)
    expect(text.replaceAll('\r\n', '')).not.toContain('\r')
  })

  test.each([
    ['{', 'package.json is not valid JSON'],
    ['[]', 'package.json must contain an object'],
    ['{"dependencies":["zod"]}', 'dependencies must be an object'],
  ])('rejects %s', (text, message) => {
    expect(() => mergePackageJson(text, template)).toThrow(message)
  })
})
