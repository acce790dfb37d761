import { afterEach, describe, expect, it } from 'vitest'
import { DevProject, greetingOf } from '../support/project/dev-project.ts'

const ROUTE = `configureApp: (app) => { app.get('/greeting', (c) => c.json({ data: greeting })) }`

describe('a reloaded project', () => {
  let project: DevProject
  afterEach(() => project.end())

  it('can be CommonJS', async () => {
    project = new DevProject({
      'package.json': '{ "type": "commonjs" }',
      'agentserver.config.ts': `
        import { defineConfig } from 'agentserver'
        import { z } from 'zod'
        import { greet } from './src/greet.js'
        const greeting = z.string().parse(greet('you'))
        export default defineConfig({ ${ROUTE} })
      `,
      'src/greet.js': `
        const words = require('./words.cjs')
        exports.greet = (name) => words.hello + ' ' + name
      `,
      'src/words.cjs': `module.exports = { hello: 'hello' }`,
    })
    await project.start()
    expect((await project.server.get('/greeting')).data).toBe('hello you')
    project.write({ 'src/words.cjs': `module.exports = { hello: 'good morning' }` })
    expect(await project.outcome()).toMatch(/reloaded src\/words\.cjs → 3 modules/)
    expect((await project.server.get('/greeting')).data).toBe('good morning you')
    project.write({ 'src/words.cjs': `module.exports = { hello: ` })
    expect(await project.outcome()).toMatch(
      /SyntaxError[\s\S]*src\/words\.cjs:1:[\s\S]*still serving generation 2/,
    )
  })

  it('can use a linked workspace package', async () => {
    project = new DevProject({
      'apps/shop/agentserver.config.ts': `
        import { defineConfig } from 'agentserver'
        import { greeting } from '@acme/words'
        export default defineConfig({ ${ROUTE} })
      `,
      'packages/words/package.json':
        '{ "name": "@acme/words", "type": "module", "exports": "./src/index.ts" }',
      'packages/words/src/index.ts': `export { greeting } from './greeting.ts'`,
      'packages/words/src/greeting.ts': greetingOf('hello'),
    })
    project.symlink('packages/words', 'apps/shop/node_modules/@acme/words')
    await project.start({ args: ['--config', 'apps/shop'] })
    expect((await project.server.get('/greeting')).data).toBe('hello')
    project.write({ 'packages/words/src/greeting.ts': greetingOf('from the workspace') })
    expect(await project.outcome()).toMatch(
      /reloaded \.\.\/\.\.\/packages\/words\/src\/greeting\.ts → 3 modules/,
    )
    expect((await project.server.get('/greeting')).data).toBe('from the workspace')
  })
})
