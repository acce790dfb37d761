import { createTool } from 'agentserver'
import { z } from 'zod'

export const importPages = createTool({
  name: 'import-pages',
  description: 'Imports the pages of a site',
  inputSchema: z.object({ urls: z.array(z.string()) }),
  execute: async function* ({ urls }, { signal, write }) {
    for (const [index, url] of urls.entries()) {
      write({ type: 'data-progress', id: 'import', data: { url, of: urls.length } })
      const { status } = await fetch(url, { signal })
      yield { imported: index + 1, lastStatus: status }
    }
  },
})
