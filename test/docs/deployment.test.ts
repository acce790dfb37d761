import { validate, ValidationSeverity } from 'dockerfile-utils'
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../../src/contract/index.ts'
import { documentationPages, readText, root } from './pages.ts'

const FOLDER = 'examples/deployment/'
const files = readdirSync(new URL(FOLDER, root))
const shown = documentationPages().flatMap(({ path: page, text }) =>
  [...text.matchAll(/^```\w+ title="(examples\/deployment\/\S+)"\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => ({
      page,
      file,
      code,
    }),
  ),
)

describe('the deployment guides', () => {
  test.each(shown)('$page shows $file as it is', ({ file, code }) => {
    expect(code).toBe(readText(file))
  })

  test('show every file of examples/deployment', () => {
    expect(shown.map(({ file }) => file).toSorted()).toEqual(files.map((file) => FOLDER + file).toSorted())
  })

  test('have a Dockerfile without lint errors', () => {
    const problems = validate(readText(`${FOLDER}Dockerfile`), {
      deprecatedMaintainer: ValidationSeverity.ERROR,
      directiveCasing: ValidationSeverity.ERROR,
      emptyContinuationLine: ValidationSeverity.ERROR,
      instructionCasing: ValidationSeverity.ERROR,
      instructionCmdMultiple: ValidationSeverity.ERROR,
      instructionEntrypointMultiple: ValidationSeverity.ERROR,
      instructionHealthcheckMultiple: ValidationSeverity.ERROR,
      instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
      instructionWorkdirRelative: ValidationSeverity.ERROR,
    })
    expect(problems.map(({ message }) => message)).toEqual([])
  })

  test('start the server without a shell, so that it receives SIGTERM', () => {
    expect(readText(`${FOLDER}Dockerfile`)).toMatch(/^CMD \["node", .*"start"\]$/m)
  })

  test('have a proxy that sends requests to every machine of the Compose file', () => {
    const compose = readText(`${FOLDER}compose.machines.yaml`)
    const machines = [...compose.matchAll(/^ {2}(\S+): \*agents$/gm)].map(([, name = '']) => `${name}:3141`)
    expect(machines).toHaveLength(3)
    const caddyfile = readText(`${FOLDER}Caddyfile.machines`)
    const upstreams = [...caddyfile.matchAll(/^\t+reverse_proxy (.*) \{$/gm)].map(([, list]) => list)
    expect(upstreams).toEqual([machines.join(' '), machines.join(' ')])
    expect(caddyfile).toContain(`\thealth_uri ${ENDPOINTS.getReadiness.path}\n`)
    expect(caddyfile).toContain(`\thandle ${ENDPOINTS.callMcpServer.path.replace(':serverId', '*')} {\n`)
  })

  test('have a Compose file that gives servers the time to stop, and migrates before they start', () => {
    const compose = readText(`${FOLDER}compose.machines.yaml`)
    const [, seconds] = /stop_grace_period: (\d+)s/.exec(compose) ?? []
    expect(Number(seconds)).toBeGreaterThan(10)
    const [, command = ''] = /^ {4}command: (.*)$/m.exec(compose) ?? []
    expect(JSON.parse(command.replaceAll("'", '"'))).toEqual([
      'node',
      'node_modules/agentserver/bin/agentserver.js',
      'migrate',
    ])
    expect(compose).toContain('migrate:\n      condition: service_completed_successfully')
  })
})
