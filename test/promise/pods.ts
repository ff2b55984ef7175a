// Pods as people write them: every field that templates commonly have, quantities in all their spellings, lists with and
// without their key's defaults.

import fc from 'fast-check'

export type Fields = Readonly<Record<string, unknown>>
export type Body = fc.Arbitrary<Fields>

/** What stands under `spec`. */
export const spec = (fields: Body): Body => fields.map((each) => ({ spec: each }))

/** Each field is there or not. */
export const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> =>
  fc.record(fields, { requiredKeys: [] })

/** The fields of `must` are always there, those of `may` now and then. */
export const withSome = (
  must: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  may: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Fields> => fc.record({ ...must, ...may }, { requiredKeys: Object.keys(must) })

/** One to `max` elements, no two of which have the same key. */
export const named = (
  element: fc.Arbitrary<Fields>,
  key: (element: Fields) => unknown,
  max = 3,
): fc.Arbitrary<Fields[]> =>
  fc.uniqueArray(element, { selector: (each) => String(key(each)), minLength: 1, maxLength: max })

export const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'x1', 'y-2')
export const text = fc.constantFrom('a', 'true', '1', 'on', '0x10', 'one two', 'ünïcode', 'a: b', 'line\nbreak')
export const labels = fc.dictionary(
  fc.constantFrom('app', 'tier', 'team', 'app.kubernetes.io/name', 'example.com/x'),
  fc.constantFrom('web', 'db', 'v1', 'true', '1'),
  { minKeys: 1, maxKeys: 3 },
)
export const annotations = fc.dictionary(
  fc.constantFrom('note', 'example.com/note', 'prometheus.io/scrape', 'example.com/list'),
  fc.oneof(text, fc.constant('')),
  { minKeys: 1, maxKeys: 3 },
)
export const cpu = fc.constantFrom<string | number>('100m', '0.1', 0.5, '1', 1, '1000m', '1500m', '2')
export const memory = fc.constantFrom<string | number>('128Mi', '0.5Gi', '1Gi', '1024Mi', '100M', 134217728, '1e8')
const amounts = some({ cpu, memory })
export const intOrPercent = fc.constantFrom<string | number>(1, 2, '25%', '50%')

const requests = fc.constantFrom<Fields>({ cpu: '50m' }, { cpu: 0.05, memory: '64Mi' }, { memory: '65536Ki' })
const resources = fc.oneof(
  fc.constant<Fields>({}),
  fc.record({ requests }),
  fc.record({ limits: amounts }),
  fc.record({ requests, limits: fc.record({ cpu, memory }) }),
)

const probeHandler = fc.oneof(
  fc.record({
    httpGet: withSome(
      { port: fc.constantFrom<string | number>(80, 'http') },
      { path: fc.constant('/z'), scheme: fc.constantFrom('HTTP', 'HTTPS') },
    ),
  }),
  fc.record({ exec: fc.record({ command: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
  fc.record({ tcpSocket: fc.record({ port: fc.constantFrom(80, 443) }) }),
)
const probe = fc
  .tuple(
    probeHandler,
    some({
      initialDelaySeconds: fc.nat(5),
      periodSeconds: fc.integer({ min: 1, max: 20 }),
      timeoutSeconds: fc.integer({ min: 1, max: 5 }),
    }),
  )
  .map(([handler, timing]): Fields => ({ ...handler, ...timing }))

const env = named(
  fc.oneof(
    withSome({ name: word }, { value: fc.oneof(text, fc.constant('')) }),
    fc.record({
      name: word,
      valueFrom: fc.record({
        fieldRef: withSome({ fieldPath: fc.constant('metadata.name') }, { apiVersion: fc.constant('v1') }),
      }),
    }),
    fc.record({
      name: word,
      valueFrom: fc.record({
        configMapKeyRef: fc.record({ name: fc.constant('none'), key: fc.constant('k'), optional: fc.constant(true) }),
      }),
    }),
    fc.record({
      name: word,
      valueFrom: fc.record({
        resourceFieldRef: fc.record({ resource: fc.constantFrom('limits.cpu', 'limits.memory') }),
      }),
    }),
  ),
  ({ name }) => name,
)
const ports = named(
  withSome({ containerPort: fc.constantFrom(80, 443, 8080) }, { protocol: fc.constantFrom('TCP', 'UDP') }),
  ({ containerPort, protocol = 'TCP' }) => `${containerPort}/${protocol}`,
)
const securityContext = some({
  runAsUser: fc.constantFrom(0, 1000),
  runAsNonRoot: fc.constant(false),
  readOnlyRootFilesystem: fc.boolean(),
  allowPrivilegeEscalation: fc.boolean(),
  capabilities: fc.record({ drop: fc.constant(['ALL']) }),
})

const volumeNames = ['scratch', 'settings', 'keys'] as const
const volume = fc.constantFrom<Fields>(
  { name: 'scratch', emptyDir: {} },
  { name: 'scratch', emptyDir: { sizeLimit: '0.5Gi', medium: 'Memory' } },
  { name: 'settings', configMap: { name: 'none', optional: true } },
  { name: 'settings', configMap: { name: 'none', optional: true, defaultMode: 256, items: [{ key: 'a', path: 'b' }] } },
  { name: 'keys', secret: { secretName: 'none', optional: true } },
  { name: 'keys', projected: { sources: [{ configMap: { name: 'none', optional: true } }] } },
)
const mounts = fc.constantFrom<Fields[]>(
  [{ name: 'scratch', mountPath: '/a' }],
  [
    { name: 'settings', mountPath: '/b', readOnly: true },
    { name: 'scratch', mountPath: '/c', subPath: 'x' },
  ],
)

const container = withSome(
  { image: fc.constantFrom('nginx:1.27', 'nginx', 'registry.example.com/team/app:v1') },
  {
    command: fc.array(word, { minLength: 1, maxLength: 2 }),
    args: fc.array(text, { minLength: 1, maxLength: 3 }),
    env,
    ports,
    resources,
    imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
    securityContext,
    volumeMounts: mounts,
    workingDir: fc.constant('/work'),
    envFrom: fc.constant([{ configMapRef: { name: 'none', optional: true } }]),
    terminationMessagePolicy: fc.constantFrom('File', 'FallbackToLogsOnError'),
  },
)
const probed = fc
  .tuple(
    container,
    some({
      readinessProbe: probe,
      livenessProbe: probe,
      lifecycle: fc.constant({ preStop: { exec: { command: ['x'] } } }),
    }),
  )
  .map(([fields, probes]): Fields => ({ ...fields, ...probes }))
const containers = (one: fc.Arbitrary<Fields>, prefix: string) =>
  fc
    .array(one, { minLength: 1, maxLength: 2 })
    .map((list) => list.map((each, index) => ({ name: `${prefix}${index}`, ...each })))

const podFields = {
  initContainers: containers(container, 'init'),
  terminationGracePeriodSeconds: fc.constantFrom(0, 5, 30),
  nodeSelector: fc.constant({ 'kubernetes.io/os': 'linux' }),
  tolerations: fc.constantFrom<Fields[]>(
    [{ operator: 'Exists' }],
    [
      { key: 'a', value: 'b', effect: 'NoSchedule' },
      { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ],
  ),
  affinity: fc.constant({
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
        },
      ],
    },
  }),
  securityContext: some({ fsGroup: fc.constant(1000), runAsUser: fc.constantFrom(0, 1000) }),
  serviceAccountName: fc.constant('default'),
  automountServiceAccountToken: fc.boolean(),
  dnsPolicy: fc.constantFrom('ClusterFirst', 'Default'),
  enableServiceLinks: fc.boolean(),
  hostAliases: fc.constant([{ ip: '10.0.0.1', hostnames: ['a', 'b'] }]),
  imagePullSecrets: fc.constantFrom<Fields[]>([{ name: 'a' }], [{ name: 'b' }, { name: 'a' }]),
  topologySpreadConstraints: fc.constant([
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ]),
  priorityClassName: fc.constant('system-cluster-critical'),
}

/** All volumes are there that mounts may name. */
const volumes = fc
  .uniqueArray(volume, { selector: ({ name }) => name, minLength: 3, maxLength: 3 })
  .map((list) => volumeNames.flatMap((name) => list.filter((each) => each['name'] === name)))

export const podSpec = (restartPolicy: fc.Arbitrary<string> | undefined): fc.Arbitrary<Fields> =>
  withSome(
    {
      containers: containers(restartPolicy === undefined ? probed : container, 'main'),
      volumes,
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    },
    podFields,
  )

/** `labels` are those that a selector asks for. */
export const podTemplate = (
  labels: Readonly<Record<string, string>>,
  restartPolicy?: fc.Arbitrary<string>,
): fc.Arbitrary<Fields> =>
  fc.record({
    metadata: withSome({ labels: fc.constant(labels) }, { annotations }),
    spec: podSpec(restartPolicy),
  })
