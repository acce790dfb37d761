import type { linkEndpoints } from '../../contract/endpoints/link.ts'
import { linkDecider } from '../../auth/resume-links.ts'
import { AppError } from '../../lib/errors.ts'
import { dataEnvelope } from '../../lib/json/envelope.ts'
import type { LinkedSuspension } from '../../engine/run/run-context.ts'
import { dataOfForm, deadLinkPage, resumedPage, resumePage } from '../pages/resume-page.ts'
import type { Document, Handler } from '../reply/reply.ts'
import { readForm, readJsonBody } from '../request/request-body.ts'
import type { Services } from '../services.ts'

type Group = typeof linkEndpoints

export function linkHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const verified = (token: string): LinkedSuspension | undefined =>
    services.current().links.verify(token, services.clock.now())
  const find = async (token: string) => {
    const { engine, gate } = services.current()
    const linked = verified(token)
    return linked && (await engine.executions.findLinked(linked, linkDecider(engine, gate.policy.resources)))
  }
  const resume = async (token: string, resumeData: unknown): Promise<string> => {
    const { engine, gate } = services.current()
    const linked = verified(token)
    if (!linked) throw notValid()
    await engine.executions.resumeLinked(linked, resumeData, linkDecider(engine, gate.policy.resources))
    return linked.executionId
  }
  const submit = async (token: string, raw: Request, limit: number): Promise<Document> => {
    const asked = await find(token)
    if (!asked) return dead(raw)
    const sent = await readForm(raw, limit)
    try {
      await resume(token, dataOfForm(sent, asked.schema))
      return resumedPage(asked)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'invalid_input') return resumePage(asked, sent, error.message)
      if (error.code === 'not_found' || error.code === 'not_resumable') return dead(raw)
      throw error
    }
  }
  return {
    getLink: async ({ params: { token }, raw }) => {
      const asked = await find(token)
      return asked ? resumePage(asked) : dead(raw)
    },
    followLink: async ({ params: { token }, raw }) => {
      const { bodyBytes } = services.current().config.limits
      if (isForm(raw)) return submit(token, raw, bodyBytes)
      const body = (await readJsonBody(raw, bodyBytes)) as { readonly resumeData?: unknown } | undefined
      if (!(await find(token))) throw notValid()
      const executionId = await resume(token, body?.resumeData)
      return { body: dataEnvelope({ executionId, status: 'running' }), type: 'application/json' }
    },
  }
}

function notValid(): AppError {
  return new AppError('not_found', 'Link not found: it was used already, or has expired')
}

/** A page for browsers, and the error for all others. */
function dead({ headers }: Request): Document {
  if (!(headers.get('accept') ?? '').includes('text/html')) throw notValid()
  return deadLinkPage()
}

function isForm({ headers }: Request): boolean {
  return (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded')
}
