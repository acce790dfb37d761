import { z } from 'zod'
import { endpoints } from '../endpoint.ts'

const link = {
  path: '/links/:token',
  group: 'links',
  tag: 'Executions',
  params: z.object({
    token: z.string().max(4096).describe('Token of the link, which is the permission'),
  }),
} as const

const Followed = z.union([
  z.string().describe('Page, for the fields of a form'),
  z
    .object({
      success: z.literal(true),
      data: z.object({ executionId: z.string(), status: z.literal('running') }),
    })
    .describe('For a JSON body'),
])

/** Signed links to suspended executions. */
export const linkEndpoints = endpoints({
  getLink: {
    ...link,
    method: 'GET',
    summary: 'Returns a page with the form that resumes a suspended execution, once',
    reply: { kind: 'document', type: 'text/html', errorPages: [404] },
    errors: [404],
  },
  followLink: {
    ...link,
    method: 'POST',
    decides: 'link',
    summary:
      'Resumes a suspended execution with the fields of the form, or with the `resumeData` of a JSON body',
    reply: { kind: 'document', type: '*/*', schema: Followed, errorPages: [400, 404] },
    errors: [404, 413, 415],
  },
})
