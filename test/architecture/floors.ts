// The floors of the house as data (ARCHITECTURE.md explains them). A file imports from its own room or a lower floor.

export interface Room {
  /** Folder below src/. The longest match wins. */
  readonly path: string
  readonly floor: number
  /** Residents of the cluster may see only these rooms. */
  readonly only?: readonly string[]
  /** Rooms of the same floor that may be imported. */
  readonly also?: readonly string[]
}

const contract = ['world', 'objects', 'api', 'kinds', 'client', 'reconcile'] as const

/** What the front end of Argo CD is built upon. */
const gitops = [
  'gitops/source',
  'gitops/tools',
  'gitops/web',
  'gitops/signatures',
  'gitops/gotemplate',
  'gitops/jsonnet',
  'gitops/render',
  'gitops/diff',
  'gitops/destinations',
  'gitops/customizations',
  'gitops/health',
  'gitops/actions',
  'gitops/sync',
  'gitops/applicationset',
  'gitops/notifications',
] as const

export const rooms: readonly Room[] = [
  { path: 'world', floor: 0 },
  { path: 'objects', floor: 0 },
  { path: 'api', floor: 1 },
  { path: 'kinds', floor: 2 },
  { path: 'client', floor: 2, also: ['kinds'] },
  { path: 'reconcile', floor: 3 },
  { path: 'cluster/store', floor: 4, only: contract },
  { path: 'cluster/admission', floor: 4, only: contract },
  {
    path: 'cluster/apiserver',
    floor: 4,
    only: [...contract, 'cluster/store', 'cluster/admission'],
    also: ['cluster/store', 'cluster/admission'],
  },
  { path: 'cluster/controllers', floor: 4, only: contract },
  { path: 'cluster/scheduler', floor: 4, only: contract },
  { path: 'cluster/kubelet', floor: 4, only: contract },
  { path: 'cluster/proxy', floor: 4, only: contract },
  {
    path: 'gitops/source',
    floor: 4,
    only: [...contract, 'gitops/tools', 'gitops/web'],
    also: ['gitops/tools', 'gitops/web'],
  },
  { path: 'gitops/tools', floor: 4, only: contract },
  { path: 'gitops/web', floor: 4, only: contract },
  { path: 'gitops/signatures', floor: 4, only: contract },
  { path: 'gitops/gotemplate', floor: 4, only: contract },
  { path: 'gitops/jsonnet', floor: 4, only: contract },
  {
    path: 'gitops/render',
    floor: 4,
    only: [...contract, 'gitops/source', 'gitops/tools', 'gitops/jsonnet'],
    also: ['gitops/source', 'gitops/tools', 'gitops/jsonnet'],
  },
  { path: 'gitops/diff', floor: 4, only: contract },
  {
    path: 'gitops/destinations',
    floor: 4,
    only: [...contract, 'gitops/tools', 'gitops/web', 'gitops/diff'],
    also: ['gitops/tools', 'gitops/web', 'gitops/diff'],
  },
  { path: 'gitops/customizations', floor: 4, only: contract },
  {
    path: 'gitops/health',
    floor: 4,
    only: [...contract, 'gitops/tools', 'gitops/customizations'],
    also: ['gitops/tools', 'gitops/customizations'],
  },
  {
    path: 'gitops/actions',
    floor: 4,
    only: [...contract, 'gitops/tools', 'gitops/customizations'],
    also: ['gitops/tools', 'gitops/customizations'],
  },
  {
    path: 'gitops/sync',
    floor: 4,
    only: [...contract, 'gitops/diff', 'gitops/health'],
    also: ['gitops/diff', 'gitops/health'],
  },
  {
    path: 'gitops/applicationset',
    floor: 4,
    only: [...contract, 'gitops/source', 'gitops/web', 'gitops/gotemplate', 'gitops/destinations'],
    also: ['gitops/source', 'gitops/web', 'gitops/gotemplate', 'gitops/destinations'],
  },
  {
    path: 'gitops/notifications',
    floor: 4,
    only: [...contract, 'gitops/web', 'gitops/gotemplate'],
    also: ['gitops/web', 'gitops/gotemplate'],
  },
  { path: 'gitops/argocd', floor: 4, only: [...contract, ...gitops], also: gitops },
  { path: 'gitops', floor: 4, only: [...contract, ...gitops, 'gitops/argocd'], also: [...gitops, 'gitops/argocd'] },
  // It says what the proxies do with the proxies' own rules.
  { path: 'insight', floor: 4, only: [...contract, 'cluster/proxy'], also: ['cluster/proxy'] },
  { path: 'machine', floor: 5 },
  { path: 'lab', floor: 6 },
  { path: 'http', floor: 6 },
  { path: 'daemon', floor: 7 },
  { path: 'cli', floor: 8 },
  { path: 'main.ts', floor: 9 },
]

/** Folders whose sub-folders are registered siblings that may not import one another. */
export const siblingFolders: readonly string[] = [
  'cluster/controllers',
  'cluster/admission',
  'cluster/scheduler/plugins',
  'kinds',
  'cli/commands',
]

/**
 * Rooms whose folders stand on one another: a file imports from its own folder or from one named before it. What lies in
 * the room itself is on top.
 */
export const stacked: Readonly<Record<string, readonly string[]>> = {
  'cluster/kubelet': [
    'ground', // rhythms, delays, Go's ways of writing
    'workload', // what containers and images do, as data; names of images
    'containers', // the containers of a pod's spec: variables, mounts, users, ports, names
    'usage', // what containers take of CPU, memory and disk
    'status', // phase, conditions and container statuses
    'actions', // what a sync does next with the containers
    'volumes', // which volumes can be mounted
    'node', // one node: its object, images, addresses, who is let in
    'life', // what there is of a pod while it lives: what all below is given
    'ending', // how containers end: hooks, signals, grace, memory
    'probes', // when a container is asked how it is, and what it says
    'limits', // deadlines, storage, resources that change
    'pod', // one pod's machine
    'sync', // what is done at each stage: volumes, sandbox, images, starts, ends
    'exec', // commands in containers
    'profiles', // what WorkloadProfiles, NodeProfiles, known images and commands come to
    'logs', // what containers have written
    'pressure', // what a node has left, and who has to go
    'fleet', // all nodes and what runs on them
    'gateway', // what a kubelet serves: answers, ports, logs, figures
    'loops', // where pods and nodes meet the API
  ],
  'gitops/argocd': [
    'application', // what an Application says: names, sources, a pin, approvals, conditions, when it is due
    'settings', // what argocd-cm and argocd-cmd-params-cm say to all
    'projects', // what a project allows, and its sync windows
    'repositories', // how they are reached and kept up to date, and what is told of them
    'desired', // what git wants: signatures, lookups of charts, targets
    'writing', // how one object is applied and removed
    'comparison', // git and cluster side by side
    'drift', // what was changed behind git's back
    'orphans', // what belongs to no application
    'observation', // what a look sees, and what is remembered of it
    'operation', // when a sync begins, waits, takes a step and ends
    'deletion', // how an application goes, with its objects and hooks
    'loop', // when an application is looked at, and what is written then
    'pages', // what doors ask beside that: clusters, manifests, actions
  ],
}

/** Rooms that work in a browser too: no Node built-ins. The HTTP handler of client/ is the one exception. */
export const withoutNode: readonly string[] = ['objects', 'api', 'kinds', 'client', 'reconcile']
export const withoutNodeExceptions: readonly string[] = [
  'client/http-agents.ts',
  'client/http-handler.ts',
  'client/kubeconfig.ts',
  'client/kubeconfig-exec.ts',
  'client/tunnel.ts',
]

/** What only world/ may touch, with what to use in its place. */
export const banned: readonly { readonly pattern: RegExp; readonly use: string; readonly except: readonly string[] }[] =
  [
    {
      pattern: /\bDate\.now\(|\bnew Date\(\)/,
      use: 'world.clock.now()',
      except: ['world/', 'http/', 'daemon/', 'cli/'],
    },
    {
      pattern: /\b(setTimeout|setInterval|setImmediate)\(/,
      use: 'world.clock.after() or soon()',
      except: ['world/', 'http/', 'daemon/', 'cli/', 'client/http-handler.ts'],
    },
    { pattern: /\bperformance\.now\(/, use: 'world.clock.now()', except: ['world/', 'http/', 'daemon/', 'cli/'] },
    { pattern: /\bMath\.random\(/, use: 'world.random', except: ['world/'] },
    {
      pattern: /\brandom(UUID|Bytes|Int)\(/,
      use: 'world.random (tokens, keys and certificates: http/ or daemon/)',
      except: ['world/', 'http/', 'daemon/', 'gitops/tools/cluster-door.ts'],
    },
    {
      pattern: /\bconsole\.\w+\(/,
      use: 'world.log, or write to the stream that the command was given',
      except: ['world/', 'cli/', 'main.ts'],
    },
    {
      pattern: /\bprocess\.env\b/,
      use: 'options that main.ts or the command reads',
      except: ['world/', 'cli/', 'daemon/', 'main.ts'],
    },
  ]

/** Names that say nothing about what is inside. */
export const forbiddenNames = /^(utils?|common|helpers?|misc|shared)(\.ts)?$/

/** What is not loaded by whoever has no need of it, since most of the time until a program is ready is spent on loading it. */
export const notLoadedWith: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cluster/apiserver', 'daemon', 'gitops', 'http', 'lab', 'machine'],
  'daemon/apiserver/index.ts': ['gitops', 'lab'],
}
