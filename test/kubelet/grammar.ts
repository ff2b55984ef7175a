// What the `behaviour` of a recording may hold. A key that is not known here would be silently left out of the replay, so
// that it is an error: where it stands, and what is known there.

type Check = (value: unknown, path: string) => void

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Anything: of no matter to a replay, or checked where it is used. */
const any: Check = () => {}

const mapOf =
  (check: Check): Check =>
  (value, path) => {
    if (!isObject(value)) throw new Error(`${path} is no object`)
    for (const [key, one] of Object.entries(value)) check(one, `${path}.${key}`)
  }

const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) throw new Error(`${path} is no list`)
    value.forEach((one, i) => {
      check(one, `${path}[${i}]`)
    })
  }

const oneOf =
  (...words: readonly string[]): Check =>
  (value, path) => {
    if (!words.includes(String(value))) throw new Error(`${path} is ${String(value)}; known are ${words.join(', ')}`)
  }

/** Remarks may stand anywhere. */
const remarks: Readonly<Record<string, Check>> = { uncertain: any, why: any }

const fields =
  (known: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isObject(value)) throw new Error(`${path} is no object`)
    for (const [key, one] of Object.entries(value)) {
      const check = known[key] ?? remarks[key]
      if (check === undefined)
        throw new Error(`${path}.${key} is not known; known there are ${Object.keys(known).join(', ')}`)
      check(one, `${path}.${key}`)
    }
  }

const textOr =
  (word: string, check: Check): Check =>
  (value, path) => {
    if (value !== word) check(value, path)
  }

const listOr =
  (check: Check): Check =>
  (value, path) => {
    if (Array.isArray(value)) listOf(check)(value, path)
    else check(value, path)
  }

const image = fields({
  present: any,
  sizeBytes: any,
  reportedName: any,
  imageID: any,
  user: any,
  pulls: listOf(fields({ seconds: any, result: oneOf('ok', 'error', 'hangs'), sizeBytes: any, message: any })),
  lastRepeats: any,
})

const run = fields({
  forever: any,
  exitCode: any,
  afterSeconds: any,
  oomKilled: any,
  childKilled: any,
  signal: any,
  childSignal: any,
  terminationMessage: any,
  logTail: any,
})

const onSigterm = textOr(
  'ignored',
  fields({
    exitCode: any,
    afterSeconds: any,
    rangeSeconds: any,
    deferredUntilSeconds: any,
    ignoredBeforeSeconds: any,
  }),
)

const causes = [
  'exec',
  'exec-cannot-start',
  'connection-refused',
  'connection-accepted',
  'http-status',
  'http-no-answer',
] as const

const segments = listOf(
  fields({
    fromSeconds: any,
    since: oneOf('preStop'),
    result: oneOf('success', 'failure', 'error', 'timeout'),
    output: any,
    cause: fields({ kind: oneOf(...causes), exitCode: any, httpStatus: any, body: any, takesSeconds: any }),
  }),
)

const hook = fields({
  result: oneOf('ok', 'error'),
  seconds: any,
  exitCode: any,
  output: any,
  httpStatus: any,
  message: any,
  byKubelet: any,
})

const container = fields({
  runs: listOf(run),
  lastRepeats: any,
  startError: fields({ message: any, exitCode: any, reason: any, seconds: any }),
  createError: fields({ message: any }),
  onSigterm,
  probes: fields({ startup: segments, readiness: segments, liveness: segments }),
  hooks: fields({ postStart: hook, preStop: hook }),
})

const pod = fields({
  namePrefix: any,
  createdAtSeconds: any,
  sandbox: fields({ createError: fields({ message: any }) }),
  usage: fields({
    memoryBytes: any,
    growsUntilKilled: any,
    ephemeralStorageBytes: any,
    volumes: any,
    containers: any,
    fromSeconds: any,
  }),
  containers: mapOf(container),
})

const node = fields({
  allocatable: any,
  capacity: any,
  labels: any,
  os: any,
  images: any,
  nodeInfo: any,
  othersRequest: listOr(mapOf(any)),
  otherPods: listOf(
    fields({ namespace: any, hostPort: any, state: any, forceDeletedAtSeconds: any, onSigterm, containers: any }),
  ),
  otherNodes: listOf(fields({ state: oneOf('Ready'), takesPods: any })),
  portsInUse: any,
  hostPaths: mapOf(oneOf('file', 'directory', 'absent')),
  runtimeHandlers: any,
  allowedUnsafeSysctls: any,
  storageClasses: any,
  persistentVolumes: any,
  kubelet: listOf(fields({ fromSeconds: any, state: oneOf('stopped', 'running') })),
  deletedAtSeconds: any,
  csiNodeInitializedAfterSeconds: any,
  runtime: listOf(fields({ fromSeconds: any, state: oneOf('down', 'up'), errorMessage: any, containersSurvive: any })),
  network: listOf(fields({ fromSeconds: any, ready: any, reason: any, message: any })),
})

const compare = fields({
  mode: oneOf('exact', 'loose'),
  statusSequence: oneOf('equal', 'commonPrefix'),
  maxMissingEntries: any,
  optionalStatuses: listOf(
    fields({ pod: any, container: any, state: any, withoutLastState: any, phaseAfterIfUnseen: any }),
  ),
  events: oneOf('equal', 'anyOrder'),
  optionalEvents: listOf(fields({ reason: any, container: any, messagePrefix: any })),
  eventCounts: any,
  countsVary: any,
  ignoreTextPrefix: any,
  ignoreTailSeconds: any,
  anyOrderStatuses: any,
  ignoreTimeOf: any,
  ignore: any,
  nodeEventCounts: any,
  resourceTimes: any,
  alternativeInSecondRun: any,
  alternativePossible: any,
  differsInSecondRun: any,
  recordedOnce: any,
})

const behaviour = fields({ images: mapOf(image), pods: mapOf(pod), node, kubeletFinds: any, compare })

/** Throws at the first key or word that a replay would not understand. */
export function checkBehaviour(value: unknown): void {
  behaviour(value, 'behaviour')
}
