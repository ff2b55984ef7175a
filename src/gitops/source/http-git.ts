// Git over http(s), in our own words: no git program is needed, and a pack goes from the network to the disk piece by piece.

import type { Proxies } from '#gitops/web'
import { PackArrival } from './pack-arrival.ts'
import type { PackIndexer } from './packing/indexer.ts'
import type { RefTable } from './refs.ts'
import { type AccessOf, depthOf, secretsOf } from './remote-access.ts'
import type { Credentials } from './repo-url.ts'
import { changeShallow, deepenBy, readShallow } from './shallow.ts'
import { SmartHttp } from './smart-http.ts'
import { messageOf, scrub } from './source-error.ts'
import type { Transport } from './transport.ts'

export interface HttpOptions {
  /** Without credentials. */
  readonly url: string
  readonly access: AccessOf
  readonly indexer: PackIndexer
  /** Of the environment, where the remote has none of its own. */
  readonly proxies?: Proxies
  /** Asked where nobody has said anything and the remote wants to know who comes. */
  readonly helper?: () => Promise<Credentials | undefined>
}

interface Conversation {
  readonly server: SmartHttp
  readonly capabilities: ReadonlySet<string>
}

export function httpGit(options: HttpOptions): Transport {
  const { url, access, indexer } = options
  const arrivals = new Map<string, PackArrival>()
  /** Goes on where refs were listed: the server knows by then who comes. */
  let last: Conversation | undefined

  const begin = async (): Promise<Conversation & { readonly table: RefTable }> => {
    const server = new SmartHttp({ url, access: access(), proxies: options.proxies, helper: options.helper })
    const { table, capabilities } = await server.advertisement()
    last = { server, capabilities }
    return { server, capabilities, table }
  }
  const depth = (): number | undefined => depthOf(access())
  const bring = async (gitDirectory: string, wants: ReadonlySet<string>, haves: ReadonlySet<string>): Promise<void> => {
    const { server, capabilities } = last ?? (await begin())
    last = undefined
    const arrival = arrivals.get(gitDirectory) ?? new PackArrival(gitDirectory, indexer)
    arrivals.set(gitDirectory, arrival)
    const shallow = await readShallow(gitDirectory)
    const wish = { wants: [...wants], haves: [...haves], shallow, deepen: deepenBy(depth(), shallow) }
    await changeShallow(gitDirectory, await arrival.bring((take) => server.pack(wish, capabilities, take)))
  }

  return {
    listRefs: async () => (await begin()).table,
    depth,
    async download(gitDirectory, wanted) {
      const haves = idsIn(wanted.last)
      const wants = new Set([...idsIn(wanted.table)].filter((id) => wanted.deeper || !haves.has(id)))
      if (wants.size > 0) await bring(gitDirectory, wants, haves)
      return wanted.table
    },
    downloadCommit: (gitDirectory, id, before) => bring(gitDirectory, new Set([id]), idsIn(before)),
    explain: (error) => withAdvice(error, scrub(messageOf(error), secretsOf(access()))),
  }
}

/** HEAD and branches come first: what is left out of too many is tags. */
function idsIn(table: RefTable | undefined): ReadonlySet<string> {
  if (table === undefined) return new Set()
  const named = [...table.refs].sort(
    ([a], [b]) => Number(a.startsWith('refs/tags/')) - Number(b.startsWith('refs/tags/')),
  )
  return new Set([...(table.head === undefined ? [] : [table.head]), ...named.map(([, id]) => id)])
}

const untrusted = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

function withAdvice(error: unknown, message: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return untrusted.includes(code)
    ? `${message}: the server's certificate is not trusted: add its CA under the name of the host to the ConfigMap argocd/argocd-tls-certs-cm`
    : message
}
