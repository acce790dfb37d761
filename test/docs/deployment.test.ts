import { validate, ValidationSeverity } from 'dockerfile-utils'
import { readdirSync } from 'node:fs'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml, parseAllDocuments } from 'yaml'
import { ENDPOINTS } from '../../src/contract/index.ts'
import { documentationPages, readText, root } from './pages.ts'

const FOLDER = 'examples/deployment/'
const PORT = 3141
const VOLUME = '/app/.agentserver'
/** `start` takes up to 10 seconds to stop. */
const STOP_SECONDS = 15
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

  test.each(['Dockerfile', 'Dockerfile.platforms'])('have a %s without lint errors', (file) => {
    const problems = validate(readText(FOLDER + file), {
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

  test('have an image for platforms that gives up root before the server starts, and has no VOLUME', () => {
    const dockerfile = readText(`${FOLDER}Dockerfile.platforms`)
    expect(dockerfile).toMatch(/^CMD .* && exec setpriv --reuid=node .* node .*agentserver\.js start"\]$/m)
    expect(dockerfile).not.toContain('VOLUME')
  })

  test('have files for platforms with the port, the probes, the volume and the time to stop', () => {
    expect(parseToml(readText(`${FOLDER}fly.toml`))).toMatchObject({
      kill_signal: 'SIGTERM',
      kill_timeout: STOP_SECONDS,
      mounts: { destination: VOLUME },
      http_service: {
        internal_port: PORT,
        auto_stop_machines: 'off',
        checks: [{ path: ENDPOINTS.getReadiness.path }],
      },
    })
    expect(JSON.parse(readText(`${FOLDER}railway.json`))).toMatchObject({
      deploy: {
        numReplicas: 1,
        healthcheckPath: ENDPOINTS.getReadiness.path,
        overlapSeconds: 0,
        drainingSeconds: STOP_SECONDS,
      },
    })
    expect(parseYaml(readText(`${FOLDER}render.yaml`))).toMatchObject({
      services: [
        {
          numInstances: 1,
          healthCheckPath: ENDPOINTS.getReadiness.path,
          maxShutdownDelaySeconds: STOP_SECONDS,
          disk: { mountPath: VOLUME },
        },
      ],
    })
  })

  test.each([
    ['kubernetes.yaml', 'StatefulSet', 1, STOP_SECONDS],
    ['kubernetes.machines.yaml', 'Deployment', 3, STOP_SECONDS + 3],
  ])('have a %s with the probes and the time to stop', (file, kind, replicas, seconds) => {
    const documents = parseAllDocuments(readText(FOLDER + file)).map(
      (document) => document.toJS() as Manifest,
    )
    const workload = documents.find((document) => document.kind === kind)
    const pod = workload?.spec.template?.spec
    expect(workload?.spec).toMatchObject({ replicas, selector: { matchLabels: { app: 'agents' } } })
    expect(pod).toMatchObject({ terminationGracePeriodSeconds: seconds })
    expect(pod?.containers).toMatchObject([
      {
        ports: [{ name: 'http', containerPort: PORT }],
        startupProbe: { httpGet: { path: ENDPOINTS.getHealth.path, port: 'http' } },
        readinessProbe: { httpGet: { path: ENDPOINTS.getReadiness.path, port: 'http' } },
        livenessProbe: { httpGet: { path: ENDPOINTS.getHealth.path, port: 'http' } },
      },
    ])
  })
})

interface Manifest {
  readonly kind: string
  readonly spec: {
    readonly template?: { readonly spec: { readonly containers: readonly unknown[] } }
  }
}
